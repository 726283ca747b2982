import { type Collection, mongo } from 'mongoose';
import {
  bytesOf,
  CLICK_BLOCKS,
  CLICK_STORES,
  clickStoreOf,
  STORED_NAMES,
  type StoredBlock,
  type StoredBlockRef,
  type StoredClickStore,
} from './click-store.schema';
import { CorruptChunkError } from '../../click-engine/chunk/chunk-columns';
import { LinksRepository } from '../../links/links.repository';

/** An immutable block as a click store names it; times in milliseconds. */
export interface BlockEntry {
  id: string;
  n: number;
  from: number;
  to: number;
  bytes: number;
}

/**
 * What tells one state of a click store from another. Every change raises the revision; a store that
 * a repair has removed begins at 1 again when it is recorded anew, with a total of its own.
 */
export type ClickStoreVersion = Pick<ClickStoreState, 'revision' | 'total'>;

/**
 * Inline chunks in the order in which they came, an array for each of their figures: an account may
 * have a hundred thousand of them.
 */
export interface InlineChunks {
  /** Clicks. */
  n: number[];
  /** Milliseconds. */
  from: number[];
  to: number[];
  /** Null where the bytes were not asked for. */
  data: Uint8Array[] | null;
}

/** A click store at one revision: inline chunks and blocks together are all clicks of the link. */
export interface ClickStoreState {
  linkId: string;
  revision: number;
  total: number;
  /** Time of its first and of its last click. */
  from: number;
  to: number;
  /** Those that are not in blocks yet. */
  inlineChunks: InlineChunks;
  blocks: BlockEntry[];
}

/** Throws when a click store's total is not what its chunks add up to: then no result can be right. */
export function assertBalanced({ linkId, total, inlineChunks, blocks }: ClickStoreState): void {
  let sum = 0;
  for (const n of inlineChunks.n) sum += n;
  for (const { n } of blocks) sum += n;
  if (sum === total) return;
  throw new CorruptChunkError(`the store of link ${linkId} says ${total}, its chunks ${sum}`);
}

const { ObjectId } = mongo;
const {
  inlineChunks: INLINE_CHUNKS,
  appliedBatches: APPLIED_BATCHES,
  revision: REVISION,
} = STORED_NAMES;
const WHOLE = { [APPLIED_BATCHES]: 0 };
const WITHOUT_DATA = { ...WHOLE, [`${INLINE_CHUNKS}.data`]: 0 };

/** Reads what statistics are counted from. */
export class StoredClicksRepository {
  private readonly links: LinksRepository;

  private constructor(private readonly db: mongo.Db) {
    this.links = new LinksRepository({ db });
  }

  /** Over a connection of its own, which is made with the first reading. */
  static connect(uri: string): StoredClicksRepository {
    const client = new mongo.MongoClient(uri, {
      serverSelectionTimeoutMS: 3000,
      connectTimeoutMS: 3000,
      maxPoolSize: 4,
      promoteBuffers: true,
    });
    return new StoredClicksRepository(client.db());
  }

  /** The links of an account. */
  linksOf(ownerId: string): Promise<{ id: string; alias: string }[]> {
    return this.links.namesOf(ownerId);
  }

  /** The versions of the stores of the links: a fifth of the time of their heads. */
  async versions(linkIds: readonly string[]): Promise<Map<string, ClickStoreVersion>> {
    const [found] = await this.collection<StoredClickStore>(CLICK_STORES)
      .aggregate<{ ids: mongo.ObjectId[]; revisions: number[]; totals: number[] }>([
        { $match: { _id: { $in: linkIds.map((id) => new ObjectId(id)) } } },
        // One document instead of many, each of which costs as much as its fields.
        {
          $group: {
            _id: null,
            ids: { $push: '$_id' },
            revisions: { $push: `$${REVISION}` },
            totals: { $push: '$total' },
          },
        },
      ])
      .toArray();
    if (found === undefined) return new Map();
    const { ids, revisions, totals } = found;
    return new Map(
      ids.map((id, at) => [
        id.toHexString(),
        { revision: Number(revisions[at]), total: Number(totals[at]) },
      ]),
    );
  }

  /** The stores of the links without the bytes of their inline chunks; a link without clicks has none. */
  heads(linkIds: readonly string[]): Promise<ClickStoreState[]> {
    return this.clickStoresOf(linkIds, false);
  }

  /** The stores of the links, inline chunks included. */
  stores(linkIds: readonly string[]): Promise<ClickStoreState[]> {
    return this.clickStoresOf(linkIds, true);
  }

  /** The bytes of blocks by id; a block that compaction has replaced meanwhile is left out. */
  async blocks(ids: readonly string[]): Promise<Map<string, Uint8Array>> {
    const found = await this.collection<StoredBlock>(CLICK_BLOCKS)
      .find({ _id: { $in: ids.map((id) => new ObjectId(id)) } })
      .project<Pick<StoredBlock, '_id' | 'data'>>({ data: 1 })
      .toArray();
    return new Map(found.map(({ _id, data }) => [_id.toHexString(), bytesOf(data)]));
  }

  private async clickStoresOf(
    linkIds: readonly string[],
    withData: boolean,
  ): Promise<ClickStoreState[]> {
    const stores = await this.collection<StoredClickStore>(CLICK_STORES)
      .find({ _id: { $in: linkIds.map((id) => new ObjectId(id)) } })
      .project<StoredClickStore>(withData ? WHOLE : WITHOUT_DATA)
      .toArray();
    return stores.map((store) => toState(store, withData));
  }

  private collection<T extends object>(name: string): Collection<T> {
    return this.db.collection<T>(name) as unknown as Collection<T>;
  }
}

function toState(stored: StoredClickStore, withData: boolean): ClickStoreState {
  const { _id, revision, total, first, last, inlineChunks, blocks } = clickStoreOf(stored);
  return {
    linkId: _id.toHexString(),
    revision,
    total,
    from: Number(first),
    to: Number(last),
    inlineChunks: {
      n: inlineChunks.map(({ n }) => n),
      from: inlineChunks.map((chunk) => Number(chunk.from)),
      to: inlineChunks.map((chunk) => Number(chunk.to)),
      data: withData ? inlineChunks.map(({ data }) => bytesOf(data)) : null,
    },
    blocks: blocks.map(toEntry),
  };
}

function toEntry({ id, n, from, to, bytes }: StoredBlockRef): BlockEntry {
  return { id: id.toHexString(), n, from: Number(from), to: Number(to), bytes };
}
