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
import { CorruptChunkError } from './codec/chunk-columns';
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

/** A click store at one revision: inline chunks and blocks together are all clicks of the link. */
export interface ClickStoreState {
  linkId: string;
  revision: number;
  total: number;
  /** Time of its first and of its last click. */
  from: number;
  to: number;
  /** Those that are not in blocks yet, in the order in which they came; times in milliseconds. */
  inlineChunks: { n: number; from: number; to: number; data: Uint8Array | undefined }[];
  blocks: BlockEntry[];
}

/** Throws when a click store's total is not what its chunks add up to: then no result can be right. */
export function assertBalanced({ linkId, total, inlineChunks, blocks }: ClickStoreState): void {
  const sum = [...inlineChunks, ...blocks].reduce((clicks, { n }) => clicks + n, 0);
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
    return this.clickStoresOf(linkIds, WITHOUT_DATA);
  }

  /** The stores of the links, inline chunks included. */
  stores(linkIds: readonly string[]): Promise<ClickStoreState[]> {
    return this.clickStoresOf(linkIds, WHOLE);
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
    projection: object,
  ): Promise<ClickStoreState[]> {
    const stores = await this.collection<StoredClickStore>(CLICK_STORES)
      .find({ _id: { $in: linkIds.map((id) => new ObjectId(id)) } })
      .project<StoredClickStore>(projection)
      .toArray();
    return stores.map(toState);
  }

  private collection<T extends object>(name: string): Collection<T> {
    return this.db.collection<T>(name) as unknown as Collection<T>;
  }
}

function toState(stored: StoredClickStore): ClickStoreState {
  const { _id, revision, total, first, last, inlineChunks, blocks } = clickStoreOf(stored);
  return {
    linkId: _id.toHexString(),
    revision,
    total,
    from: Number(first),
    to: Number(last),
    inlineChunks: inlineChunks.map(({ n, from, to, data }) => ({
      ...{ n, from: Number(from), to: Number(to) },
      // Absent where only heads were asked for.
      data: (data as StoredBlock['data'] | undefined) && bytesOf(data),
    })),
    blocks: blocks.map(toEntry),
  };
}

function toEntry({ id, n, from, to, bytes }: StoredBlockRef): BlockEntry {
  return { id: id.toHexString(), n, from: Number(from), to: Number(to), bytes };
}
