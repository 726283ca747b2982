import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { findIds, findPage } from '../../infrastructure/mongo/find';
import { isDuplicateKey } from '../../common/database-fault';
import {
  type Import,
  type ImportHistory,
  type ImportNote,
  type ImportOptions,
  type ImportProof,
  type ImportTrouble,
  NO_HISTORY,
} from './import';
import { ImportRecord, toImport } from './import.schema';

type Service = 'baseUrl' | 'credential';
export type NewImport = Omit<
  Import,
  | 'createdAt'
  | 'dryRun'
  | 'hasClicks'
  | 'history'
  | 'notes'
  | 'proof'
  | 'ranAt'
  | 'requests'
  | 'syncedAt'
  | 'toldRun'
  | 'trouble'
  | 'visitStep'
  | Service
> &
  Partial<Pick<Import, Service>>;

/** Only this class reads and writes the `imports` collection. */
@Injectable()
export class ImportsRepository {
  constructor(@InjectModel(ImportRecord.name) private readonly imports: Model<ImportRecord>) {}

  async insert(newImport: NewImport): Promise<Import> {
    const record: ImportRecord = {
      _id: new Types.ObjectId(newImport.id),
      owner: new Types.ObjectId(newImport.ownerId),
      source: newImport.source,
      options: newImport.options,
      file: newImport.file,
      base_url: newImport.baseUrl ?? null,
      credential: newImport.credential ?? null,
      columns: [...newImport.columns],
      dry_run: true,
      notes: {},
      history: NO_HISTORY,
      proof: null,
      same_file_as: newImport.sameFileAs === null ? null : new Types.ObjectId(newImport.sameFileAs),
      created_at: new Date(),
    };
    await this.imports.create([record]);
    return toImport(record);
  }

  async findById(id: string): Promise<Import | null> {
    const record = await this.imports.findById(id).lean<ImportRecord>();
    return record === null ? null : toImport(record);
  }

  async page(
    ownerId: string,
    page: number,
    pageSize: number,
  ): Promise<{ items: Import[]; total: number }> {
    const owned = { owner: ownerId };
    const options = { sort: { created_at: -1, _id: -1 }, page, pageSize } as const;
    const { records, total } = await findPage<ImportRecord>(this.imports, owned, options);
    return { items: records.map(toImport), total };
  }

  async sumFileBytes(ownerId: string): Promise<number> {
    const files = await this.imports
      .find({ owner: ownerId }, { 'file.bytes': 1 })
      .lean<{ file: { bytes: number } | null }[]>();
    return files.reduce((sum, { file }) => sum + (file?.bytes ?? 0), 0);
  }

  /** Returns the id of the account's last import of an identical file, or null. */
  async sameFile(ownerId: string, sha256: string): Promise<string | null> {
    const found = await this.imports
      .findOne({ owner: ownerId, 'file.sha256': sha256 }, { _id: 1 })
      .sort({ created_at: -1, _id: -1 })
      .lean<{ _id: Types.ObjectId }>();
    return found?._id.toHexString() ?? null;
  }

  idsMadeBefore(moment: Date): Promise<string[]> {
    return findIds<ImportRecord>(this.imports, { created_at: { $lt: moment } });
  }

  filePaths(): Promise<string[]> {
    return this.findPaths({});
  }

  /** Returns the files of the account's imports with a slot, which includes all unfinished ones. */
  placedPaths(ownerId: string): Promise<string[]> {
    return this.findPaths({ owner: ownerId, place: { $type: 'number' } });
  }

  private async findPaths(which: object): Promise<string[]> {
    const found = await this.imports
      .find(which, { 'file.path': 1 })
      .lean<{ file: { path: string } | null }[]>();
    return found.flatMap(({ file }) => file?.path ?? []);
  }

  /** Returns, by import id, whether the import is a check that has written nothing. */
  async findDryRuns(ownerId: string): Promise<Map<string, boolean>> {
    const found = await this.imports
      .find({ owner: ownerId }, { dry_run: 1 })
      .lean<Pick<ImportRecord, '_id' | 'dry_run'>[]>();
    return new Map(found.map(({ _id, dry_run }) => [_id.toHexString(), dry_run]));
  }

  /** Takes a slot among the owner's unfinished imports; returns false if it is not free. */
  async takePlace(id: string, place: number): Promise<boolean> {
    try {
      await this.imports.updateOne({ _id: id }, { $set: { place, placed_at: new Date() } });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** Call once the job is queued; from then on, the slot is taken until the job ends. */
  async confirmPlace(id: string): Promise<void> {
    await this.imports.updateOne({ _id: id }, { $unset: { placed_at: 1 } });
  }

  /** Returns imports with a slot, except those that took their slot after `before`. */
  placed(ownerId: string, before: Date): Promise<string[]> {
    return findIds<ImportRecord>(this.imports, { owner: ownerId, ...placedBefore(before) });
  }

  async leavePlaces(ids: readonly string[], before: Date): Promise<void> {
    await this.imports.updateMany(
      { _id: { $in: [...ids] }, ...placedBefore(before) },
      { $unset: { place: 1, placed_at: 1 } },
    );
  }

  async beginRun(id: string, options: ImportOptions): Promise<void> {
    await this.imports.updateOne(
      { _id: id },
      { $set: { options, dry_run: false, proof: null, requests: 0 } },
    );
  }

  async keepFound(
    id: string,
    notes: Partial<Record<ImportNote, number>>,
    history: ImportHistory,
  ): Promise<void> {
    await this.imports.updateOne({ _id: id }, { $set: { notes, history } });
  }

  async keepCredential(id: string, credential: Buffer | null): Promise<void> {
    await this.imports.updateOne({ _id: id }, { $set: { credential } });
  }

  async keepVisitStep(id: string, step: number): Promise<void> {
    await this.imports.updateOne({ _id: id }, { $max: { visit_step: step } });
  }

  async noteRun(id: string, isSync: boolean): Promise<void> {
    const now = new Date();
    await this.imports.updateOne(
      { _id: id },
      { $set: { run_at: now, ...(isSync && { synced_at: now }) } },
    );
  }

  async keepTrouble(id: string, trouble: ImportTrouble | null): Promise<void> {
    await this.imports.updateOne({ _id: id }, { $set: { trouble } });
  }

  async addRequests(id: string, requests: number): Promise<void> {
    await this.imports.updateOne({ _id: id }, { $inc: { requests } });
  }

  async keepProof(id: string, proof: ImportProof): Promise<void> {
    await this.imports.updateOne({ _id: id }, { $set: { proof } });
  }

  async noteClicks(id: string): Promise<void> {
    await this.imports.updateOne({ _id: id }, { $set: { has_clicks: true } });
  }

  async noteTold(id: string, run: Date): Promise<void> {
    await this.imports.updateOne({ _id: id }, { $set: { told_run: run } });
  }

  /** Does not remove the import's rows. */
  async remove(id: string): Promise<void> {
    await this.imports.deleteOne({ _id: id });
  }
}

function placedBefore(moment: Date): object {
  const known = { $or: [{ placed_at: { $exists: false } }, { placed_at: { $lt: moment } }] };
  return { place: { $type: 'number' }, ...known };
}
