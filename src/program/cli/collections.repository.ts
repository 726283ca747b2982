import { type Connection, mongo } from 'mongoose';
import { collectWriteErrors } from '../../infrastructure/mongo/bulk-write';

/** Limits per batch, which limit a command's memory. */
const BATCH_DOCUMENTS = 1000;
const BATCH_BYTES = 8 * 1024 * 1024;
const DUPLICATE_KEY = 11000;
/** Driver options that preserve all stored types and values. */
const STORED_TYPES = { promoteValues: false, promoteBuffers: false, bsonRegExp: true } as const;

/** BSON document; its first four bytes contain its length. */
export type RawDocument = Uint8Array;
export type DocumentFilter = mongo.Filter<StoredDocument>;

export interface StoredDocument {
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

export function decodeDocument(document: RawDocument): StoredDocument {
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
