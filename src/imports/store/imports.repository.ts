import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { isDuplicateKey } from '../../common/database-fault';
import { sliceItems } from '../../infrastructure/mongo/many-documents';
import {
  type Import,
  type ImportHistory,
  type ImportNote,
  type ImportOptions,
  type ImportProof,
  type ImportRow,
  type ImportTrouble,
  NO_HISTORY,
} from './import';
import {
  type ClaimingRow,
  ImportRecord,
  ImportRowRecord,
  type RowHistory,
  rowId,
  toImport,
  toImportRow,
  toRowHistory,
  toRowRecord,
} from './import.schema';

const ROWS_A_READ = 1000;
/** Batch size for writing rows; small, since a busy database delays redirects. */
const WRITTEN = 100;

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
  | 'syncedAt'
  | 'toldRun'
  | 'trouble'
  | 'visitStep'
  | Service
> &
  Partial<Pick<Import, Service>>;

export interface RowFilter {
  readonly verdict?: string;
}

/** Sole reader and writer of the collections `imports` and `import_rows`. */
@Injectable()
export class ImportsRepository {
  constructor(
    @InjectModel(ImportRecord.name) private readonly imports: Model<ImportRecord>,
    @InjectModel(ImportRowRecord.name) private readonly rows: Model<ImportRowRecord>,
  ) {}

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
    const [records, total] = await Promise.all([
      this.imports
        .find(owned)
        .sort({ created_at: -1, _id: -1 })
        .skip((page - 1) * pageSize)
        .limit(pageSize)
        .lean<ImportRecord[]>(),
      this.imports.countDocuments(owned),
    ]);
    return { items: records.map(toImport), total };
  }

  async sumFileBytes(ownerId: string): Promise<number> {
    const files = await this.imports
      .find({ owner: ownerId }, { 'file.bytes': 1 })
      .lean<{ file: { bytes: number } | null }[]>();
    return files.reduce((sum, { file }) => sum + (file?.bytes ?? 0), 0);
  }

  /** Id of the account's last import of a byte-identical file, if any. */
  async sameFile(ownerId: string, sha256: string): Promise<string | null> {
    const found = await this.imports
      .findOne({ owner: ownerId, 'file.sha256': sha256 }, { _id: 1 })
      .sort({ created_at: -1, _id: -1 })
      .lean<{ _id: Types.ObjectId }>();
    return found?._id.toHexString() ?? null;
  }

  async idsMadeBefore(moment: Date): Promise<string[]> {
    const found = await this.imports
      .find({ created_at: { $lt: moment } }, { _id: 1 })
      .lean<{ _id: Types.ObjectId }[]>();
    return found.map(({ _id }) => _id.toHexString());
  }

  async filePaths(): Promise<string[]> {
    const found = await this.imports
      .find({}, { 'file.path': 1 })
      .lean<{ file: { path: string } | null }[]>();
    return found.flatMap(({ file }) => file?.path ?? []);
  }

  /** Import ids, with whether the import is a check that has written nothing. */
  async findDryRuns(ownerId: string): Promise<Map<string, boolean>> {
    const found = await this.imports
      .find({ owner: ownerId }, { dry_run: 1 })
      .lean<Pick<ImportRecord, '_id' | 'dry_run'>[]>();
    return new Map(found.map(({ _id, dry_run }) => [_id.toHexString(), dry_run]));
  }

  /** Takes a slot among the owner's unfinished imports; false if the slot is taken. */
  async takePlace(id: string, place: number): Promise<boolean> {
    try {
      await this.imports.updateOne({ _id: id }, { $set: { place, placed_at: new Date() } });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** Once the job is queued, its state determines how long the slot is taken. */
  async confirmPlace(id: string): Promise<void> {
    await this.imports.updateOne({ _id: id }, { $unset: { placed_at: 1 } });
  }

  /** Imports with a slot, except those that took it only recently. */
  async placed(ownerId: string, before: Date): Promise<string[]> {
    const found = await this.imports
      .find({ owner: ownerId, ...placedBefore(before) }, { _id: 1 })
      .lean<Pick<ImportRecord, '_id'>[]>();
    return found.map(({ _id }) => _id.toHexString());
  }

  async leavePlaces(ids: readonly string[], before: Date): Promise<void> {
    await this.imports.updateMany(
      { _id: { $in: [...ids] }, ...placedBefore(before) },
      { $unset: { place: 1, placed_at: 1 } },
    );
  }

  async beginRun(id: string, options: ImportOptions): Promise<void> {
    await this.imports.updateOne({ _id: id }, { $set: { options, dry_run: false, proof: null } });
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

  async keepProof(id: string, proof: ImportProof): Promise<void> {
    await this.imports.updateOne({ _id: id }, { $set: { proof } });
  }

  async noteClicks(id: string): Promise<void> {
    await this.imports.updateOne({ _id: id }, { $set: { has_clicks: true } });
  }

  async noteTold(id: string, run: Date): Promise<void> {
    await this.imports.updateOne({ _id: id }, { $set: { told_run: run } });
  }

  /** Does not remove rows; see `clearRows`. */
  async remove(id: string): Promise<void> {
    await this.imports.deleteOne({ _id: id });
  }

  // Rows.

  async saveRows(importId: string, rows: readonly ClaimingRow[]): Promise<void> {
    if (rows.length === 0) return;
    const writes = rows.map((row) => {
      const replacement = toRowRecord(importId, row);
      return { replaceOne: { filter: { _id: replacement._id }, replacement, upsert: true } };
    });
    await this.rows.collection.bulkWrite(writes as never, { ordered: false });
  }

  async rowsWith(
    importId: string,
    rows: readonly Pick<ImportRow, 'row' | 'part'>[],
    verdict: ImportRow['verdict'],
  ): Promise<ImportRow[]> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ row, part }) => rowId(importId, row, part));
    const found = await this.rows.find({ _id: { $in: ids }, verdict }).lean<ImportRowRecord[]>();
    return found.map(toImportRow);
  }

  /** Earlier rows with the claims (all rows for Infinity), by claim. */
  async claimed(
    importId: string,
    claims: readonly string[],
    before: number,
  ): Promise<Map<string, ImportRow>> {
    if (claims.length === 0) return new Map();
    const earlier = {
      import: importId,
      claim: { $in: [...claims] },
      ...(Number.isFinite(before) && { _id: { $lt: rowId(importId, before, 0) } }),
    };
    const found = await this.rows.find(earlier).lean<ImportRowRecord[]>();
    return new Map(found.map((record) => [record.claim ?? '', toImportRow(record)]));
  }

  async rowsByVisitsKey(
    importId: string,
    keys: readonly string[],
  ): Promise<Map<string, ImportRow>> {
    if (keys.length === 0) return new Map();
    const found = await this.rows
      .find({ import: importId, visits_key: { $in: [...keys] } })
      .lean<ImportRowRecord[]>();
    return new Map(found.map((record) => [record.visits_key ?? '', toImportRow(record)]));
  }

  /** Adds a page's visits to its rows, at most once per page. */
  async addVisits(
    importId: string,
    page: number,
    visits: ReadonlyMap<ImportRow, number>,
  ): Promise<void> {
    for (const batch of sliceItems([...visits], WRITTEN)) {
      const writes = batch.map(([{ row, part }, taken]) => ({
        updateOne: {
          filter: { _id: rowId(importId, row, part), 'visits.page': { $not: { $gte: page } } },
          update: { $inc: { 'visits.taken': taken }, $set: { 'visits.page': page } },
        },
      }));
      await this.rows.collection.bulkWrite(writes as never, { ordered: false });
    }
  }

  /** The next rows after this number and part, with their clicks. */
  async historiesAfter(
    importId: string,
    after: Pick<ImportRow, 'row' | 'part'> | null,
  ): Promise<RowHistory[]> {
    const from = after === null ? `${importId}/` : rowId(importId, after.row, after.part);
    const records = await this.rows
      .find({ _id: { $gt: from, $lt: `${importId}0` } })
      .sort({ _id: 1 })
      .limit(ROWS_A_READ)
      .lean<ImportRowRecord[]>();
    return records.map(toRowHistory);
  }

  async notePartial(
    importId: string,
    rows: readonly { readonly row: ImportRow; readonly message: string }[],
  ): Promise<void> {
    const writes = rows.map(({ row: { row, part, notes }, message }) => ({
      updateOne: {
        filter: { _id: rowId(importId, row, part), notes: { $ne: 'history_partial' } },
        update: { $set: { notes: [...notes, 'history_partial'], message } },
      },
    }));
    if (writes.length > 0)
      await this.rows.collection.bulkWrite(writes as never, { ordered: false });
  }

  /** The greatest claim with this prefix among earlier rows, if any. */
  async lastClaim(importId: string, start: string, before: number): Promise<string | null> {
    const found = await this.rows
      .findOne({
        import: importId,
        claim: { $gte: start, $lt: `${start}\uffff` },
        _id: { $lt: rowId(importId, before, 0) },
      })
      .sort({ claim: -1 })
      .lean<ImportRowRecord>();
    return found?.claim ?? null;
  }

  async countRows(importId: string, { verdict }: RowFilter = {}): Promise<number> {
    return this.rows.countDocuments(matching(importId, verdict));
  }

  async pageOfRows(
    importId: string,
    { verdict }: RowFilter,
    page: number,
    pageSize: number,
  ): Promise<ImportRow[]> {
    const records = await this.rows
      .find(matching(importId, verdict))
      .sort({ _id: 1 })
      .skip((page - 1) * pageSize)
      .limit(pageSize)
      .lean<ImportRowRecord[]>();
    return records.map(toImportRow);
  }

  async *allRows(importId: string): AsyncGenerator<ImportRow[]> {
    let after = `${importId}/`;
    for (;;) {
      const records = await this.rows
        .find({ _id: { $gt: after, $lt: `${importId}0` } })
        .sort({ _id: 1 })
        .limit(ROWS_A_READ)
        .lean<ImportRowRecord[]>();
      if (records.length > 0) yield records.map(toImportRow);
      if (records.length < ROWS_A_READ) return;
      after = records.at(-1)?._id ?? after;
    }
  }

  /** Removes a batch of rows; false once all rows are removed. */
  async clearRows(importId: string): Promise<boolean> {
    const records = await this.rows
      .find({ _id: { $gt: `${importId}/`, $lt: `${importId}0` } }, { _id: 1 })
      .limit(10 * ROWS_A_READ)
      .lean<{ _id: string }[]>();
    if (records.length === 0) return false;
    await this.rows.deleteMany({ _id: { $in: records.map(({ _id }) => _id) } });
    return true;
  }
}

function placedBefore(moment: Date): object {
  const known = { $or: [{ placed_at: { $exists: false } }, { placed_at: { $lt: moment } }] };
  return { place: { $type: 'number' }, ...known };
}

function matching(importId: string, verdict: string | undefined): object {
  if (verdict === undefined) return { _id: { $gt: `${importId}/`, $lt: `${importId}0` } };
  const owned = { import: new Types.ObjectId(importId) };
  return { ...owned, $or: [{ verdict }, { notes: verdict }] };
}
