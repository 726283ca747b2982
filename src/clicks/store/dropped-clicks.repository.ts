import { type Collection, type Connection, mongo } from 'mongoose';
import { isDuplicateKey } from '../../common/database-fault';
import { decodeChunk, encodeColumns } from '../../engines/click-engine/chunk/chunk';
import type { ChunkColumns } from '../../engines/click-engine/chunk/chunk-columns';
import { laterClicks } from '../../engines/click-engine/chunk/merge-chunks';
import { isOpenClick } from '../../engines/click-engine/chunk/click';
import { collectWriteErrors } from '../../infrastructure/mongo/bulk-write';
import { MAX_INLINE_BYTES } from './click-batch';
import {
  binaryBytes,
  CLICK_BLOCKS,
  CLICK_STORES,
  type StoredBlock,
  type StoredBlockRef,
  type StoredChunk,
  type StoredClickStore,
} from './click-store.schema';

/** Attempts to replace a click store while its link is being clicked. */
const MAX_TRIES = 50;
const NO_CLICKS = { total: 0, open: 0, tail: [], tail_n: 0, tail_bytes: 0, blocks: [] };
const NO_TIMES = { first: '', last: '' } as const;

interface KeptClicks {
  total: number;
  open: number;
  from: number;
  to: number;
  tail: StoredChunk[];
  blocks: StoredBlockRef[];
  /** Blocks to be stored before they are referenced. */
  created: StoredBlock[];
}

/** Totals of a link's clicks in ClickHouse. */
interface CountedClicks {
  readonly n: number;
  readonly open: number;
  readonly from: number;
  readonly to: number;
}

export type CountElsewhere = (
  linkId: string,
  since: Date,
  appliedBatches: Readonly<Record<string, number>>,
) => Promise<CountedClicks | undefined>;

/** Drops the clicks from visits at or before a time from click stores (docs/contract.md#37). */
export class DroppedClicksRepository {
  constructor(private readonly connection: Connection) {}

  /** From now on, the stores contain and accept only later clicks. May be repeated. */
  async drop(linkIds: readonly string[], at: Date): Promise<void> {
    const isEarlier = { last: { $not: { $gt: at } }, since: { $not: { $gte: at } } };
    const drops = linkIds.map((id) => ({
      updateOne: {
        filter: { _id: new mongo.ObjectId(id), ...isEarlier },
        update: {
          $set: { ...NO_CLICKS, since: at },
          $unset: NO_TIMES,
          $inc: { rev: 1 },
          $setOnInsert: { marks: {} },
        },
        upsert: true,
      },
    }));
    if (drops.length === 0) return;
    const errors = await collectWriteErrors(this.stores.bulkWrite(drops, { ordered: false }));
    for (const error of errors) {
      // The store already contains later clicks, or has this boundary or a later one.
      if (!isDuplicateKey(error)) throw error;
      await this.dropEarlier(linkIds[error.index] ?? '', at);
    }
  }

  /** Returns all stores' boundaries, by link id in milliseconds. */
  async boundaries(): Promise<Map<string, number>> {
    const found = this.stores
      .find({ since: { $exists: true } })
      .project<Required<Pick<StoredClickStore, '_id' | 'since'>>>({ since: 1 });
    const boundaries = new Map<string, number>();
    for await (const { _id, since } of found) boundaries.set(_id.toHexString(), since.getTime());
    return boundaries;
  }

  /** Removes some blocks with dropped clicks; returns false if none is left. Call after `drop`. */
  async removeBlocks(linkId: string, at: Date, limit: number): Promise<boolean> {
    // No store references a block with clicks before its boundary.
    const dropped = { link: new mongo.ObjectId(linkId), from: { $lte: at } };
    const found = await this.blocks.find(dropped, { projection: { _id: 1 }, limit }).toArray();
    if (found.length > 0)
      await this.blocks.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
    return found.length === limit;
  }

  /** Counts later clicks in ClickHouse, where required; false if a store changed meanwhile. */
  async recount(linkIds: readonly string[], count: CountElsewhere): Promise<boolean> {
    const ids = linkIds.map((id) => new mongo.ObjectId(id));
    const due = await this.stores.find({ _id: { $in: ids }, recount: true }).toArray();
    let isDone = true;
    for (const { _id, rev, since = new Date(0), marks } of due) {
      const counted = await count(_id.toHexString(), since, marks);
      const times = counted && { first: new Date(counted.from), last: new Date(counted.to) };
      const { n: total, open } = counted ?? { n: 0, open: 0 };
      const { matchedCount } = await this.stores.updateOne(
        { _id, rev },
        { $set: { total, open, ...times }, $unset: { recount: '' }, $inc: { rev: 1 } },
      );
      isDone &&= matchedCount === 1;
    }
    return isDone;
  }

  private async dropEarlier(linkId: string, at: Date): Promise<void> {
    const _id = new mongo.ObjectId(linkId);
    for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
      const store = await this.stores.findOne({ _id });
      if (store === null || Number(store.since ?? -1) >= Number(at)) return;
      const kept = await this.laterPart(store, at);
      if (kept !== null && (await this.replace(store, at, kept))) return;
    }
    throw new Error('A click store kept changing while its clicks were being dropped');
  }

  private async replace(store: StoredClickStore, at: Date, kept: KeptClicks): Promise<boolean> {
    const { total, open, from, to, tail, blocks, created } = kept;
    if (created.length > 0) await this.blocks.insertMany(created);
    const isElsewhere = store.tail.length === 0 && store.blocks.length === 0;
    const { matchedCount } = await this.stores.updateOne(
      { _id: store._id, rev: store.rev },
      {
        $set: {
          ...{ total, open, tail, blocks, since: at },
          tail_n: tail.length,
          tail_bytes: tail.reduce((sum, { data }) => sum + binaryBytes(data).length, 0),
          ...(total > 0 && { first: new Date(from), last: new Date(to) }),
          ...(isElsewhere && { recount: true as const }),
        },
        ...(total === 0 && { $unset: NO_TIMES }),
        $inc: { rev: 1 },
      },
    );
    if (matchedCount === 1) return true;
    await this.blocks.deleteMany({ _id: { $in: created.map((block) => block._id) } });
    return false;
  }

  /** Returns null if compaction has replaced a block. */
  private async laterPart(store: StoredClickStore, at: Date): Promise<KeptClicks | null> {
    const kept: KeptClicks = {
      ...{ total: 0, open: 0, from: Infinity, to: -Infinity },
      ...{ tail: [], blocks: [], created: [] },
    };
    for (const chunk of store.tail.filter(({ to }) => to > at)) {
      const later = readLater(binaryBytes(chunk.data), at);
      if (later !== null) keep(kept, store._id, later, chunk.n, () => kept.tail.push(chunk));
    }
    for (const ref of store.blocks.filter(({ to }) => to > at)) {
      const block = await this.blocks.findOne({ _id: ref.id });
      if (block === null) return null;
      const later = readLater(binaryBytes(block.data), at);
      if (later !== null) keep(kept, store._id, later, ref.n, () => kept.blocks.push(ref));
    }
    return kept;
  }

  private get stores(): Collection<StoredClickStore> {
    return this.connection.collection<StoredClickStore>(CLICK_STORES);
  }

  private get blocks(): Collection<StoredBlock> {
    return this.connection.collection<StoredBlock>(CLICK_BLOCKS);
  }
}

/** An unreadable chunk is dropped, because its clicks cannot be counted. */
function readLater(data: Uint8Array, at: Date): ChunkColumns | null {
  try {
    return laterClicks(decodeChunk(data), at.getTime());
  } catch {
    return null;
  }
}

/** @param keepWhole called if the chunk does not change */
function keep(
  kept: KeptClicks,
  link: mongo.ObjectId,
  later: ChunkColumns,
  n: number,
  keepWhole: () => void,
): void {
  kept.total += later.n;
  kept.open += later.slot.reduce((sum, slot, row) => {
    const click = { slot: slot === 1, signals: later.signals[row] ?? 0 };
    return sum + Number(isOpenClick(click));
  }, 0);
  kept.from = Math.min(kept.from, later.from);
  kept.to = Math.max(kept.to, later.to);
  if (later.n === n) {
    keepWhole();
    return;
  }
  const bytes = encodeColumns(later);
  const figures = { n: later.n, from: new Date(later.from), to: new Date(later.to) };
  const data = new mongo.Binary(bytes);
  if (bytes.length <= MAX_INLINE_BYTES) {
    kept.tail.push({ ...figures, data });
    return;
  }
  const id = new mongo.ObjectId();
  kept.blocks.push({ ...figures, id, bytes: bytes.length });
  kept.created.push({ ...figures, _id: id, link, data });
}
