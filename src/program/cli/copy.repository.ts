import { createHash } from 'node:crypto';
import { type Connection, mongo } from 'mongoose';
import { NODES } from '../../clicks/recorder/node-lease.repository';
import { collectWriteErrors } from '../../infrastructure/mongo/bulk-write';
import { CopyDiffersError, CopyRefusedError } from './cli.errors';

/** Limits per batch, which limit a command's memory. */
const BATCH_DOCUMENTS = 1000;
const BATCH_BYTES = 8 * 1024 * 1024;
const DUPLICATE_KEY = 11000;
/** Driver options that preserve all stored types and values. */
const STORED_TYPES = { promoteValues: false, promoteBuffers: false, bsonRegExp: true } as const;

/** BSON document; its first four bytes contain its length. */
export type RawDocument = Uint8Array;
type DocumentFilter = mongo.Filter<StoredDocument>;

interface StoredDocument {
  _id: unknown;
}

export interface StoredIndex {
  name?: string;
  key: Record<string, unknown>;
  expireAfterSeconds?: number;
}

/** Reads and writes all collections in a database, regardless of their contents. */
export class CollectionsRepository {
  constructor(private readonly connection: Connection) {}

  async names(): Promise<string[]> {
    const found = await this.connection.listCollections();
    return found
      .map(({ name }) => name)
      .filter((name) => !name.startsWith('system.'))
      .sort();
  }

  indexes(name: string): Promise<StoredIndex[]> {
    return this.connection.collection(name).listIndexes().toArray() as Promise<StoredIndex[]>;
  }

  /** Uses the format of `mongodump`. */
  async metadata(name: string): Promise<Buffer> {
    const metadata = {
      indexes: await this.indexes(name),
      collectionName: name,
      type: 'collection',
    };
    return Buffer.from(mongo.BSON.EJSON.stringify(metadata, { relaxed: false }));
  }

  async createIndexes(name: string, indexes: readonly StoredIndex[]): Promise<void> {
    const wanted = indexes.filter((index) => index.name !== '_id_') as mongo.IndexDescription[];
    if (wanted.length > 0) await this.connection.collection(name).createIndexes(wanted);
  }

  count(name: string): Promise<number> {
    return this.connection.collection(name).countDocuments({});
  }

  /** Yields documents by ascending id; each existing document once. @param from first id */
  documents(
    name: string,
    { filter = {}, from }: { filter?: DocumentFilter; from?: StoredDocument } = {},
  ): AsyncIterable<RawDocument> {
    const cursor = this.connection
      .collection<StoredDocument>(name)
      .find(filter, { raw: true })
      .sort({ _id: 1 })
      .hint({ _id: 1 });
    // `$gt` would find only ids of the same type.
    if (from !== undefined) cursor.min({ _id: from._id });
    return cursor as unknown as AsyncIterable<RawDocument>;
  }

  async last(name: string): Promise<StoredDocument | undefined> {
    const options = { sort: { _id: -1 }, projection: { _id: 1 }, ...STORED_TYPES } as const;
    const collection = this.connection.collection<StoredDocument>(name);
    return (await collection.findOne({}, options)) ?? undefined;
  }

  /** Inserts documents in order; stops at the first failure. */
  async insert(name: string, batch: readonly RawDocument[]): Promise<void> {
    await this.connection.collection<StoredDocument>(name).insertMany(batch.map(decodeDocument));
  }

  /** Skips documents whose unique values already exist, and returns their ids. */
  async insertNew(name: string, batch: readonly RawDocument[]): Promise<string[]> {
    const documents = batch.map(decodeDocument);
    const collection = this.connection.collection<StoredDocument>(name);
    const errors = await collectWriteErrors(collection.insertMany(documents, { ordered: false }));
    const fault = errors.find(({ code }) => code !== DUPLICATE_KEY);
    if (fault !== undefined) throw fault;
    return errors.map(({ index }) => String(documents[index]?._id));
  }
}

function decodeDocument(document: RawDocument): StoredDocument {
  return mongo.BSON.deserialize(document, STORED_TYPES) as StoredDocument;
}

export async function* inBatches(
  documents: AsyncIterable<RawDocument>,
): AsyncGenerator<RawDocument[]> {
  let batch: RawDocument[] = [];
  let bytes = 0;
  for await (const document of documents) {
    batch.push(document);
    bytes += document.length;
    if (batch.length < BATCH_DOCUMENTS && bytes < BATCH_BYTES) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

/**
 * Collections that are not copied: node names belong to a single database's recorders. Recorders
 * get new names in the target, so that they record all clicks in a journal.
 */
const OF_ONE_DATABASE: ReadonlySet<string> = new Set([NODES]);

/** Collection that exists in the target until the copy is complete and verified. */
const MARKER = 'unfinished_copy';
interface Marker {
  _id: 'copy';
  source: string;
}

/** Number and digest of a collection's documents, which are compared between the databases. */
export interface CollectionSummary {
  name: string;
  documents: number;
  digest: string;
}

export type CopyProgress = (collection: string, copied: number, total: number) => void;

/** Copies documents by id, so that an interrupted copy resumes after the last document. */
export class CopyRepository {
  private readonly from: CollectionsRepository;
  private readonly to: CollectionsRepository;

  constructor(
    private readonly source: Connection,
    private readonly target: Connection,
  ) {
    this.from = new CollectionsRepository(source);
    this.to = new CollectionsRepository(target);
  }

  /**
   * @returns whether the target contains an unfinished copy of this source
   * @throws CopyRefusedError if the target contains other data
   */
  async begin(): Promise<boolean> {
    if ((await this.source.collection<Marker>(MARKER).findOne()) !== null) {
      throw new CopyRefusedError('The source is itself an unfinished copy');
    }
    const source = await this.identity();
    const markers = this.target.collection<Marker>(MARKER);
    const unfinished = await markers.findOne();
    if (unfinished !== null && unfinished.source !== source) {
      throw new CopyRefusedError('The target has an unfinished copy of another database: drop it');
    }
    if (unfinished !== null) return true;
    for (const name of await this.to.names()) {
      if ((await this.to.last(name)) === undefined) continue;
      throw new CopyRefusedError(`The target is not empty: it has documents in ${name}`);
    }
    await markers.insertOne({ _id: 'copy', source });
    return false;
  }

  async copy(progress: CopyProgress): Promise<void> {
    for (const name of await this.names()) {
      const [all, before] = [await this.from.count(name), await this.to.count(name)];
      let copied = before;
      for await (const batch of inBatches(this.missingDocuments(name))) {
        await this.to.insert(name, batch);
        copied += batch.length;
        progress(name, copied, all);
      }
      if (copied === before) progress(name, copied, all);
      await this.to.createIndexes(name, await this.from.indexes(name));
    }
  }

  /** Ignores documents that expire within an hour. @throws CopyDiffersError */
  async compare(): Promise<CollectionSummary[]> {
    const summaries: CollectionSummary[] = [];
    const different: string[] = [];
    const extra = new Set(await this.to.names());
    for (const name of await this.names()) {
      const lasting = lastingFilter(await this.from.indexes(name));
      const summary = await summarizeCollection(this.from, name, lasting);
      const copied = await summarizeCollection(this.to, name, lasting);
      if (summary.digest !== copied.digest) {
        different.push(`${name} (${summary.documents} and ${copied.documents} documents)`);
      }
      summaries.push(summary);
      extra.delete(name);
    }
    extra.delete(MARKER);
    if (extra.size > 0) different.push(...extra);
    if (different.length > 0) throw new CopyDiffersError(different.join(', '));
    return summaries;
  }

  async finish(): Promise<void> {
    await this.target.dropCollection(MARKER);
  }

  /** Identifies the installation by a part of its visitor key. */
  private async identity(): Promise<string> {
    const key = await this.source
      .collection<{ _id: string }>('settings')
      .findOne({ _id: 'visitor_key' }, { promoteValues: false });
    return createHash('sha256')
      .update(mongo.BSON.serialize(key ?? {}))
      .digest('hex');
  }

  private async names(): Promise<string[]> {
    return (await this.from.names()).filter((name) => !OF_ONE_DATABASE.has(name));
  }

  /** Continues after the last id, because the target contains the first documents by id. */
  private async *missingDocuments(name: string): AsyncGenerator<RawDocument> {
    let last = await this.to.last(name);
    for await (const document of this.from.documents(name, { from: last })) {
      const isLast = last !== undefined && hasId(document, last);
      last = undefined;
      if (!isLast) yield document;
    }
  }
}

function hasId(document: RawDocument, { _id }: StoredDocument): boolean {
  const { _id: id } = decodeDocument(document);
  return Buffer.compare(mongo.BSON.serialize({ id }), mongo.BSON.serialize({ id: _id })) === 0;
}

/** Excludes documents that a database may delete within an hour. */
function lastingFilter(indexes: readonly StoredIndex[]): DocumentFilter {
  const fields = indexes
    .filter((index) => index.expireAfterSeconds !== undefined)
    .flatMap((index) => Object.keys(index.key));
  if (fields.length === 0) return {};
  const soon = new Date(Date.now() + 3_600_000);
  return { $nor: fields.map((field) => ({ [field]: { $lte: soon } })) };
}

/** The digest ignores the order of numeric field names, which insertion may change. */
async function summarizeCollection(
  collections: CollectionsRepository,
  name: string,
  filter: DocumentFilter,
): Promise<CollectionSummary> {
  const digest = createHash('sha256');
  let documents = 0;
  for await (const document of collections.documents(name, { filter })) {
    digest.update(mongo.BSON.serialize(decodeDocument(document)));
    documents += 1;
  }
  return { name, documents, digest: digest.digest('hex') };
}
