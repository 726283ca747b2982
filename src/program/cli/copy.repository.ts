import { createHash } from 'node:crypto';
import { type Collection, type Connection, mongo } from 'mongoose';
import { NODES } from '../../clicks/recorder/node-lease.repository';
import { CopyDiffersError, CopyRefusedError } from './cli.errors';

/** Limits per write, to bound the memory of a copy. */
const COPY_BATCH_DOCUMENTS = 1000;
const COPY_BATCH_BYTES = 8 * 1024 * 1024;

/** Keeps the stored number types. */
const COPY_BSON_OPTIONS = { promoteValues: false } as const;

/**
 * Not copied, because it names the recorders of one database. Nothing was recorded into the
 * target, so everything in a journal still has to be recorded.
 */
const OF_ONE_DATABASE: ReadonlySet<string> = new Set([NODES]);

/** Exists in the target until the copy is complete and verified. */
const MARKER = 'unfinished_copy';
interface Marker {
  _id: 'copy';
  source: string;
}

interface CopiedDocument {
  _id: unknown;
}

/** Count and digest of a collection's documents, equal in both databases. */
export interface CollectionSummary {
  name: string;
  documents: number;
  digest: string;
}

export type CopyProgress = (collection: string, copied: number, total: number) => void;

/** Copies in order of ids, so that an interrupted copy resumes after the last document. */
export class CopyRepository {
  constructor(
    private readonly source: Connection,
    private readonly target: Connection,
  ) {}

  /**
   * @returns whether the target has an unfinished copy of this source
   * @throws CopyRefusedError if it is neither that nor empty
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
    for (const name of await readCollections(this.target)) {
      if ((await this.target.collection(name).findOne()) === null) continue;
      throw new CopyRefusedError(`The target is not empty: it has documents in ${name}`);
    }
    await markers.insertOne({ _id: 'copy', source });
    return false;
  }

  async copy(progress: CopyProgress): Promise<void> {
    for (const name of await this.names()) {
      await this.copyDocuments(name, progress);
      await this.copyIndexes(name);
    }
  }

  /** Ignores documents that expire within the hour. @throws CopyDiffersError */
  async compare(): Promise<CollectionSummary[]> {
    const summaries: CollectionSummary[] = [];
    const different: string[] = [];
    const extra = new Set(await readCollections(this.target));
    for (const name of await this.names()) {
      const lasting = lastingFilter(await readIndexes(this.source, name));
      const summary = await summarizeCollection(this.source, name, lasting);
      const copied = await summarizeCollection(this.target, name, lasting);
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

  /** Unique per installation: a part of the visitor key. */
  private async identity(): Promise<string> {
    const key = await this.source
      .collection<{ _id: string }>('settings')
      .findOne({ _id: 'visitor_key' }, COPY_BSON_OPTIONS);
    return createHash('sha256')
      .update(mongo.BSON.serialize(key ?? {}))
      .digest('hex');
  }

  private async names(): Promise<string[]> {
    const names = await readCollections(this.source);
    return names.filter((name) => !OF_ONE_DATABASE.has(name));
  }

  private async copyDocuments(name: string, progress: CopyProgress): Promise<void> {
    const target = this.target.collection<CopiedDocument>(name);
    const [all, before] = [
      await numberOfDocuments(this.source, name),
      await numberOfDocuments(this.target, name),
    ];
    let copied = before;
    let documents: CopiedDocument[] = [];
    let bytes = 0;
    const write = async (): Promise<void> => {
      if (documents.length > 0) await target.insertMany(documents);
      copied += documents.length;
      documents = [];
      bytes = 0;
      progress(name, copied, all);
    };
    for await (const document of this.behindLastOf(name)) {
      documents.push(document);
      bytes += mongo.BSON.calculateObjectSize(document);
      if (documents.length >= COPY_BATCH_DOCUMENTS || bytes >= COPY_BATCH_BYTES) await write();
    }
    await write();
  }

  /** Missing documents: the target always has the first documents by id. */
  private async *behindLastOf(name: string): AsyncGenerator<CopiedDocument> {
    const last = await this.target
      .collection<CopiedDocument>(name)
      .findOne({}, { sort: { _id: -1 }, ...COPY_BSON_OPTIONS });
    const cursor = findDocuments(this.source, name, {});
    // $gt would find only ids of the same type. The bound is inclusive.
    if (last !== null) cursor.min({ _id: last._id });
    let first = true;
    for await (const document of cursor) {
      const isLast = first && last !== null && isSame(document._id, last._id);
      first = false;
      if (!isLast) yield document;
    }
  }

  private async copyIndexes(name: string): Promise<void> {
    const indexes = await readIndexes(this.source, name);
    if (indexes.length > 0) {
      await this.target.collection(name).createIndexes(indexes as mongo.IndexDescription[]);
    }
  }
}

interface Index extends Record<string, unknown> {
  key: Record<string, unknown>;
}

/** All indexes except that of `_id`, in plain values. */
async function readIndexes(connection: Connection, name: string): Promise<Index[]> {
  const all = (await connection.collection(name).listIndexes().toArray()) as Index[];
  return all.filter((index) => index.name !== '_id_');
}

export async function readCollections(connection: Connection): Promise<string[]> {
  const found = await connection.listCollections();
  return found
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('system.'))
    .sort();
}

function numberOfDocuments(connection: Connection, name: string): Promise<number> {
  return connection.collection(name).countDocuments({});
}

function findDocuments(
  connection: Connection,
  name: string,
  filter: mongo.Filter<CopiedDocument>,
): mongo.FindCursor<CopiedDocument> {
  const collection: Collection<CopiedDocument> = connection.collection<CopiedDocument>(name);
  return collection.find(filter, COPY_BSON_OPTIONS).sort({ _id: 1 }).hint({ _id: 1 });
}

/** Excludes documents that either database may delete within the hour. */
function lastingFilter(indexes: readonly Index[]): mongo.Filter<CopiedDocument> {
  const fields = indexes
    .filter((index) => index.expireAfterSeconds !== undefined)
    .flatMap((index) => Object.keys(index.key));
  if (fields.length === 0) return {};
  const soon = new Date(Date.now() + 3_600_000);
  return { $nor: fields.map((field) => ({ [field]: { $lte: soon } })) };
}

async function summarizeCollection(
  connection: Connection,
  name: string,
  filter: mongo.Filter<CopiedDocument>,
): Promise<CollectionSummary> {
  const digest = createHash('sha256');
  let documents = 0;
  for await (const document of findDocuments(connection, name, filter)) {
    digest.update(mongo.BSON.serialize(document));
    documents += 1;
  }
  return { name, documents, digest: digest.digest('hex') };
}

function isSame(a: unknown, b: unknown): boolean {
  return Buffer.compare(mongo.BSON.serialize({ a }), mongo.BSON.serialize({ a: b })) === 0;
}
