import { type Collection, type Connection, mongo } from 'mongoose';
import { DURABLE } from '../../infrastructure/mongo/write-barrier';
import {
  binaryBytes,
  CLICK_BLOCKS,
  CLICK_STORES,
  toClickStore,
  type StoredBlock,
  type StoredClickStore,
} from '../store/click-store.schema';

/** A click store is compacted if its inline chunks exceed one of these limits. */
const INLINE_CHUNKS = 32;
const MAX_COMPACTED_INLINE_BYTES = 16 * 1024;
/** A click store is also compacted if it references more than this many small blocks. */
const SMALL_BLOCKS = 16;
const SMALL_CLICKS = 50_000;

export interface BlockRef {
  id: string;
  n: number;
  /** Time of the first click in milliseconds. */
  from: number;
  to: number;
  bytes: number;
}

export interface CompactableClickStore {
  linkId: string;
  revision: number;
  inlineChunks: { n: number; data: Uint8Array }[];
  inlineBytes: number;
  blocks: BlockRef[];
}

export interface NewBlock {
  linkId: string;
  n: number;
  from: number;
  to: number;
  data: Uint8Array;
}

const { ObjectId } = mongo;

const SMALL = {
  $filter: { input: '$blocks', cond: { $lte: ['$$this.n', SMALL_CLICKS] } },
};

/** Reads and replaces blocks; never changes totals, applied batches or clicks. */
export class CompactionRepository {
  constructor(private readonly connection: Connection) {}

  async overgrown(linkIds: readonly string[]): Promise<string[]> {
    const found = await this.stores
      .find({
        _id: { $in: linkIds.map((id) => new ObjectId(id)) },
        $or: [
          { tail_n: { $gt: INLINE_CHUNKS } },
          { tail_bytes: { $gt: MAX_COMPACTED_INLINE_BYTES } },
          { $expr: { $gt: [{ $size: SMALL }, SMALL_BLOCKS] } },
        ],
      })
      .project<{ _id: mongo.ObjectId }>({ _id: 1 })
      .toArray();
    return found.map(({ _id }) => _id.toHexString());
  }

  async read(linkId: string): Promise<CompactableClickStore | null> {
    const stored = await this.stores.findOne({ _id: new ObjectId(linkId) });
    if (stored === null) return null;
    const { revision, inlineChunks, inlineBytes, blocks } = toClickStore(stored);
    return {
      linkId,
      revision,
      inlineChunks: inlineChunks.map(({ n, data }) => ({ n, data: binaryBytes(data) })),
      inlineBytes,
      blocks: blocks.map(({ id, n, from, to, bytes }) => ({
        id: id.toHexString(),
        n,
        from: Number(from),
        to: Number(to),
        bytes,
      })),
    };
  }

  /** Returns bytes by block id; deleted blocks are absent. */
  async blocks(ids: readonly string[]): Promise<Map<string, Uint8Array>> {
    const found = await this.clickBlocks
      .find({ _id: { $in: ids.map((id) => new ObjectId(id)) } })
      .toArray();
    return new Map(found.map(({ _id, data }) => [_id.toHexString(), binaryBytes(data)]));
  }

  async add(block: NewBlock): Promise<BlockRef> {
    const { n, from, to, data } = block;
    const document: StoredBlock = {
      _id: new ObjectId(),
      link: new ObjectId(block.linkId),
      n,
      from: new Date(from),
      to: new Date(to),
      data: new mongo.Binary(data),
    };
    await this.clickBlocks.insertOne(document, DURABLE);
    return { id: document._id.toHexString(), n, from, to, bytes: data.length };
  }

  /** Replaces the inline chunks with these blocks, if the revision is unchanged. */
  async swap(store: CompactableClickStore, blocks: readonly BlockRef[]): Promise<boolean> {
    const swapped = await this.stores.updateOne(
      { _id: new ObjectId(store.linkId), rev: store.revision },
      {
        $set: {
          tail: [],
          tail_n: 0,
          tail_bytes: 0,
          blocks: blocks.map(({ id, n, from, to, bytes }) => ({
            id: new ObjectId(id),
            n,
            from: new Date(from),
            to: new Date(to),
            bytes,
          })),
        },
        $inc: { rev: 1 },
      },
      DURABLE,
    );
    return swapped.modifiedCount === 1;
  }

  async remove(ids: readonly string[]): Promise<void> {
    await this.clickBlocks.deleteMany({ _id: { $in: ids.map((id) => new ObjectId(id)) } });
  }

  async leftovers(before: Date): Promise<Set<string>> {
    const unnamed = new Set<string>();
    const oldest = ObjectId.createFromTime(Math.floor(before.getTime() / 1000));
    const old = this.clickBlocks
      .find({ _id: { $lt: oldest } })
      .project<{ _id: mongo.ObjectId; link: mongo.ObjectId }>({ link: 1 });
    for await (const { _id, link } of old) {
      const named = await this.stores.countDocuments({ _id: link, 'blocks.id': _id });
      if (named === 0) unnamed.add(_id.toHexString());
    }
    return unnamed;
  }

  private get stores(): Collection<StoredClickStore> {
    return this.connection.collection<StoredClickStore>(CLICK_STORES);
  }

  private get clickBlocks(): Collection<StoredBlock> {
    return this.connection.collection<StoredBlock>(CLICK_BLOCKS);
  }
}
