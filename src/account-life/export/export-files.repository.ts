import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import { type Connection, mongo } from 'mongoose';
import { DatabaseUnavailableError } from '../../common/errors';

/** Prefix of the two GridFS collections, which backups omit. */
export const EXPORT_FILES = 'account_exports';

export interface StoredExport {
  readonly bytes: number;
  readonly sha256: string;
}

interface FileRecord {
  readonly _id: mongo.ObjectId;
  readonly length: number;
  readonly metadata?: { readonly owner: mongo.ObjectId; readonly sha256?: string };
}

/** The files of exports in GridFS. A file has the id of its job. */
@Injectable()
export class ExportFilesRepository {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /** Replaces an incomplete file. The file can be found after `finish`. */
  async write(id: string, ownerId: string, pieces: Readable): Promise<void> {
    await this.remove([id]);
    const metadata = { owner: new mongo.ObjectId(ownerId) };
    const file = this.bucket.openUploadStreamWithId(new mongo.ObjectId(id), id, { metadata });
    await pipeline(pieces, file);
  }

  async finish(id: string, sha256: string): Promise<void> {
    const _id = new mongo.ObjectId(id);
    await this.files.updateOne({ _id }, { $set: { 'metadata.sha256': sha256 } });
  }

  /** Incomplete files are absent. */
  async find(ids: readonly string[]): Promise<Map<string, StoredExport>> {
    const _id = { $in: ids.map((id) => new mongo.ObjectId(id)) };
    const complete = { _id, 'metadata.sha256': { $exists: true } };
    const found = await this.files.find(complete).toArray();
    return new Map(
      found.map(({ _id, length, metadata }) => [
        _id.toHexString(),
        { bytes: length, sha256: metadata?.sha256 ?? '' },
      ]),
    );
  }

  open(id: string): Readable {
    return this.bucket.openDownloadStream(new mongo.ObjectId(id));
  }

  /** Returns the ids of all files, complete or not. */
  async ids(): Promise<string[]> {
    const [chunks, files] = await Promise.all([
      this.chunks.distinct('files_id'),
      this.files.distinct('_id'),
    ]);
    return [...new Set([...chunks, ...files].map(String))];
  }

  async remove(ids: readonly string[]): Promise<void> {
    const wanted = { $in: ids.map((id) => new mongo.ObjectId(id)) };
    await this.files.deleteMany({ _id: wanted });
    await this.chunks.deleteMany({ files_id: wanted });
  }

  async removeByAccount(accountId: string): Promise<void> {
    const owned = { 'metadata.owner': new mongo.ObjectId(accountId) };
    await this.remove((await this.files.distinct('_id', owned)).map(String));
  }

  private get files(): mongo.Collection<FileRecord> {
    return this.db.collection<FileRecord>(`${EXPORT_FILES}.files`);
  }

  private get chunks(): mongo.Collection<{ files_id: mongo.ObjectId }> {
    return this.db.collection(`${EXPORT_FILES}.chunks`);
  }

  private get bucket(): mongo.GridFSBucket {
    return new mongo.GridFSBucket(this.db, { bucketName: EXPORT_FILES });
  }

  private get db(): mongo.Db {
    const { db } = this.connection;
    if (db === undefined) throw new DatabaseUnavailableError();
    return db;
  }
}
