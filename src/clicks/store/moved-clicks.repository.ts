import { type Collection, type Connection, mongo } from 'mongoose';
import type { LinkClicks } from '../../engines/click-house/click-rows';
import { decodeChunk } from '../../engines/click-engine/chunk/chunk';
import type { Click } from '../../engines/click-engine/chunk/click';
import { clickBatchEntry, placedChunks } from './click-batch';
import {
  binaryBytes,
  CLICK_BLOCKS,
  CLICK_STORES,
  type StoredBlock,
  type StoredBlockRef,
  type StoredChunk,
  type StoredClickStore,
} from './click-store.schema';
import { DroppedClicksRepository } from './dropped-clicks.repository';

const CLICKS_AT_ONCE = 200_000;
export const MOVING_NODE = '00000000';

/** Moves clicks out of click stores and back. Recording must be paused. */
export class MovedClicksRepository {
  constructor(private readonly connection: Connection) {}

  /** Yields all stored clicks in groups, which are the same in every call. */
  async *groups(): AsyncGenerator<LinkClicks[]> {
    let group: LinkClicks[] = [];
    let clicks = 0;
    for await (const store of this.stores.find().sort({ _id: 1 })) {
      const linkId = store._id.toHexString();
      for await (const bytes of this.chunksOf(store)) {
        const chunk = decodeChunk(bytes);
        group.push({ linkId, chunks: [chunk] });
        clicks += chunk.n;
        if (clicks < CLICKS_AT_ONCE) continue;
        yield group;
        [group, clicks] = [[], 0];
      }
    }
    if (group.length > 0) yield group;
  }

  async *totals(): AsyncGenerator<{ linkId: string; total: number; since?: number }> {
    const found = this.stores
      .find()
      .sort({ _id: 1 })
      .project<Pick<StoredClickStore, '_id' | 'since' | 'total'>>({ since: 1, total: 1 });
    for await (const { _id, total, since } of found)
      yield { linkId: _id.toHexString(), total, since: since?.getTime() };
  }

  /** Returns, by link id in milliseconds, up to when clicks are deleted. */
  boundaries(): Promise<Map<string, number>> {
    return new DroppedClicksRepository(this.connection).boundaries();
  }

  /** An interrupted clear() leaves clicks of some links. */
  async linksWithClicks(ids: readonly string[]): Promise<Set<string>> {
    const withClicks = { $or: [{ tail_n: { $gt: 0 } }, { 'blocks.0': { $exists: true } }] };
    const among = { _id: { $in: ids.map((id) => new mongo.ObjectId(id)) } };
    const found = this.stores.find({ ...among, ...withClicks }, { projection: { _id: 1 } });
    return new Set(await found.map(({ _id }) => _id.toHexString()).toArray());
  }

  /** Removes the clicks but keeps their totals. */
  async clear(): Promise<void> {
    const none = { tail: [], tail_n: 0, tail_bytes: 0, blocks: [] };
    await this.stores.updateMany({}, { $set: none, $inc: { rev: 1 } });
    await this.blocks.deleteMany({});
  }

  /** Replaces a link's stored clicks; returns the number of clicks. */
  async restore(
    linkId: string,
    clicks: AsyncIterable<Click[]> | Iterable<Click[]>,
  ): Promise<number> {
    const link = new mongo.ObjectId(linkId);
    const tail: StoredChunk[] = [];
    const named: StoredBlockRef[] = [];
    let [number, count] = [0, 0];
    for await (const batch of clicks) {
      if (batch.length === 0) continue;
      number += 1;
      count += batch.length;
      const entry = clickBatchEntry(linkId, batch);
      const placed = placedChunks({ node: MOVING_NODE, number, entries: [entry] }, entry);
      for (const { data, ...chunk } of placed.inline) {
        tail.push({ ...chunk, data: new mongo.Binary(data) });
      }
      for (const { id, data, ...chunk } of placed.blocks) {
        const _id = new mongo.ObjectId(id);
        const block = { ...chunk, link, data: new mongo.Binary(data) };
        await this.blocks.replaceOne({ _id }, block, { upsert: true });
        named.push({ ...chunk, id: _id, bytes: data.length });
      }
    }
    const bytes = tail.reduce((sum, { data }) => sum + data.length(), 0);
    const restored = { tail, tail_n: tail.length, tail_bytes: bytes, blocks: named };
    await this.stores.updateOne({ _id: link }, { $set: restored, $inc: { rev: 1 } });
    return count;
  }

  private async *chunksOf(store: StoredClickStore): AsyncGenerator<Uint8Array> {
    for (const { data } of store.tail) yield binaryBytes(data);
    for (const { id } of store.blocks) {
      const block = await this.blocks.findOne({ _id: id });
      if (block === null)
        throw new Error(`Block ${id.toHexString()} is missing: run curtail verify first`);
      yield binaryBytes(block.data);
    }
  }

  private get stores(): Collection<StoredClickStore> {
    return this.connection.collection<StoredClickStore>(CLICK_STORES);
  }

  private get blocks(): Collection<StoredBlock> {
    return this.connection.collection<StoredBlock>(CLICK_BLOCKS);
  }
}
