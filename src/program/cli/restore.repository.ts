import { type Connection, mongo } from 'mongoose';
import { AuditRepository } from '../../clicks/audit/audit.repository';
import { ClickStoreRepository } from '../../clicks/store/click-store.repository';
import { LinksRepository } from '../../stores/links/links.repository';
import { REMOVED_LINKS, type RemovedLinkRecord } from '../../stores/links/removed-link.schema';
import type { Pieces } from './backup-target';
import { BrokenBackupError } from './cli.errors';
import {
  CollectionsRepository,
  inBatches,
  type RawDocument,
  type StoredIndex,
} from './copy.repository';

/** MongoDB's limit, plus the tolerance of its tools. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024 + 16 * 1024;
const MIN_DOCUMENT_BYTES = 5;
/** Maximum age of the note of a removal that was in progress when the backup began. */
const REMOVAL_MS = 60_000;

export class RestoreRepository {
  private readonly collections: CollectionsRepository;

  constructor(private readonly connection: Connection) {
    this.collections = new CollectionsRepository(connection);
  }

  /** @param metadata metadata as written by `mongodump` */
  async makeCollection(name: string, metadata: Buffer): Promise<void> {
    await this.connection.createCollection(name);
    await this.collections.createIndexes(name, parseIndexes(name, metadata));
  }

  /** Yields the ids of skipped documents, whose unique value exists in a document read earlier. */
  async *insert(name: string, pieces: Pieces, signal: AbortSignal): AsyncGenerator<string> {
    for await (const batch of inBatches(documentsIn(name, pieces))) {
      signal.throwIfAborted();
      yield* await this.collections.insertNew(name, batch);
    }
    signal.throwIfAborted();
  }

  /** Marks accounts as deleted at that time. Returns those that the backup contains. */
  async closeAccounts(
    ids: readonly string[],
    at: Date,
  ): Promise<{ readonly id: string; readonly email: string }[]> {
    const accounts = this.connection.collection<{ email: string }>('accounts');
    const these = { _id: { $in: ids.map((id) => new mongo.ObjectId(id)) } };
    await accounts.updateMany(these, { $set: { deletes_at: at } });
    const found = await accounts.find(these, { projection: { email: 1 } }).toArray();
    return found.map(({ _id, email }) => ({ id: _id.toHexString(), email }));
  }

  /** Deletes links that were being removed, and old blocks that no click store references. */
  async dropRemoved(backupBegan: Date): Promise<void> {
    const since = new Date(backupBegan.getTime() - REMOVAL_MS);
    const notes = this.connection.collection<RemovedLinkRecord>(REMOVED_LINKS);
    const removed = await notes.find({ at: { $gte: since } }).toArray();
    const ids = removed.map(({ _id }) => _id.toHexString());
    const links = new LinksRepository(this.connection);
    for (const id of ids) await links.remove(id, false);
    await new ClickStoreRepository(this.connection).remove(ids);
    const audit = new AuditRepository(this.connection);
    for await (const { id } of audit.unnamedBlocks(Date.now())) await audit.removeBlock(id);
  }
}

function parseIndexes(name: string, metadata: Buffer): StoredIndex[] {
  try {
    const { indexes } = mongo.BSON.EJSON.parse(metadata.toString()) as { indexes: StoredIndex[] };
    return [...indexes];
  } catch (error) {
    throw new BrokenBackupError(`${name}.metadata.json is damaged`, { cause: error });
  }
}

async function* documentsIn(name: string, pieces: Pieces): AsyncGenerator<RawDocument> {
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
