import { type Connection, mongo } from 'mongoose';
import { AuditRepository } from '../../clicks/audit/audit.repository';
import { ClickStoreRepository } from '../../clicks/store/click-store.repository';
import { collectWriteErrors } from '../../infrastructure/mongo/bulk-write';
import { LinksRepository } from '../../stores/links/links.repository';
import { REMOVED_LINKS, type RemovedLinkRecord } from '../../stores/links/removed-link.schema';
import { BrokenBackupError } from './cli.errors';
import type { Pieces } from './backup-target';

/** Limits per write, to bound the memory of a restore. */
const RESTORE_BATCH_DOCUMENTS = 1000;
const RESTORE_BATCH_BYTES = 8 * 1024 * 1024;
/** MongoDB's limit plus the tolerance of its tools. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024 + 16 * 1024;
const MIN_DOCUMENT_BYTES = 5;
const DUPLICATE_KEY = 11000;
/** Removals in progress when the backup began were noted up to this long before. */
const REMOVAL_MS = 60_000;

const RESTORE_BSON_OPTIONS = {
  promoteValues: false,
  promoteBuffers: false,
  bsonRegExp: true,
} as const;

interface RestoredDocument {
  _id: unknown;
}

export class RestoreRepository {
  constructor(private readonly connection: Connection) {}

  /** @param metadata as written by `mongodump` */
  async makeCollection(name: string, metadata: Buffer): Promise<void> {
    await this.connection.createCollection(name);
    const indexes = parseIndexes(name, metadata);
    if (indexes.length > 0) await this.connection.collection(name).createIndexes(indexes);
  }

  /** Returns ids skipped as duplicates: a unique value moved during the backup. */
  async insert(name: string, pieces: Pieces, signal: AbortSignal): Promise<string[]> {
    const collection = this.connection.collection<RestoredDocument>(name);
    const leftOut: string[] = [];
    let documents: RestoredDocument[] = [];
    let bytes = 0;
    const write = async (): Promise<void> => {
      signal.throwIfAborted();
      if (documents.length === 0) return;
      const errors = await collectWriteErrors(collection.insertMany(documents, { ordered: false }));
      for (const error of errors) {
        if (error.code !== DUPLICATE_KEY) throw error;
        leftOut.push(String(documents[error.index]?._id));
      }
      documents = [];
      bytes = 0;
    };
    for await (const document of documentsIn(name, pieces)) {
      documents.push(mongo.BSON.deserialize(document, RESTORE_BSON_OPTIONS) as RestoredDocument);
      bytes += document.length;
      if (documents.length >= RESTORE_BATCH_DOCUMENTS || bytes >= RESTORE_BATCH_BYTES)
        await write();
    }
    await write();
    return leftOut;
  }

  /** Drops links whose removal was in progress, and old blocks that no click store names. */
  async dropRemoved(backupBegan: Date): Promise<void> {
    const since = new Date(backupBegan.getTime() - REMOVAL_MS);
    const notes = this.connection.collection<RemovedLinkRecord>(REMOVED_LINKS);
    const removed = await notes.find({ at: { $gte: since } }).toArray();
    const ids = removed.map(({ _id }) => _id.toHexString());
    const links = new LinksRepository(this.connection);
    for (const id of ids) await links.remove(id);
    await new ClickStoreRepository(this.connection).remove(ids);
    const audit = new AuditRepository(this.connection);
    for await (const { id } of audit.unnamedBlocks(Date.now())) await audit.removeBlock(id);
  }
}

function parseIndexes(name: string, metadata: Buffer): mongo.IndexDescription[] {
  try {
    const { indexes } = mongo.BSON.EJSON.parse(metadata.toString()) as {
      indexes: mongo.IndexDescription[];
    };
    return indexes.filter((index) => index.name !== '_id_');
  } catch (error) {
    throw new BrokenBackupError(`${name}.metadata.json is damaged`, { cause: error });
  }
}

/** Concatenated documents; the first four bytes hold the length. */
async function* documentsIn(name: string, pieces: Pieces): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    while (rest.length >= MIN_DOCUMENT_BYTES) {
      const length = rest.readInt32LE(0);
      if (length < MIN_DOCUMENT_BYTES || length > MAX_DOCUMENT_BYTES) {
        throw new BrokenBackupError(`${name}.bson is damaged`);
      }
      if (rest.length < length) break;
      yield rest.subarray(0, length);
      rest = rest.subarray(length);
    }
  }
  if (rest.length > 0) throw new BrokenBackupError(`${name}.bson is incomplete`);
}
