import { type Collection, type Connection, mongo } from 'mongoose';
import {
  CLICK_BLOCKS,
  CLICK_STORES,
  type StoredBlock,
  type StoredBlockRef,
  type ClickStoreRecord,
  toClickStore,
  type StoredClickStore,
} from '../store/click-store.schema';
import { LinkTotalReads } from '../../stores/links/link-total-reads.repository';
import type { StoredTotals } from '../../stores/links/link-updates';
import { LinksRepository } from '../../stores/links/links.repository';
import type { ClickStoreFindings } from './click-store-check';

const { ObjectId } = mongo;
const AUDITED_LINKS_A_READ = 1000;
const OLD_MS = 3_600_000;

export class AuditRepository {
  private readonly links: LinksRepository;
  private readonly totals: LinkTotalReads;

  constructor(private readonly connection: Connection) {
    this.links = new LinksRepository(connection);
    this.totals = new LinkTotalReads(connection);
  }

  /** Yields link ids, including those of deleted links that still have a click store. */
  async *linkIds(): AsyncGenerator<string> {
    yield* this.totals.ids();
    let ids: string[] = [];
    for await (const { _id } of this.stores
      .find()
      .project<Pick<StoredClickStore, '_id'>>({ _id: 1 })) {
      ids.push(_id.toHexString());
      if (ids.length < AUDITED_LINKS_A_READ) continue;
      yield* await this.totals.missing(ids);
      ids = [];
    }
    yield* await this.totals.missing(ids);
  }

  async store(linkId: string): Promise<ClickStoreRecord | null> {
    const stored = await this.stores.findOne({ _id: new ObjectId(linkId) });
    return stored && toClickStore(stored);
  }

  link(id: string): Promise<StoredTotals | null> {
    return this.totals.findTotals(id);
  }

  async wasRemoved(linkId: string): Promise<boolean> {
    const removed = await this.connection
      .collection('removed_links')
      .findOne({ _id: new ObjectId(linkId) });
    return removed !== null;
  }

  block(store: ClickStoreRecord, ref: StoredBlockRef): Promise<StoredBlock | null> {
    return this.blocks.findOne({ _id: ref.id, link: store._id });
  }

  /** Returns blocks over an hour old that no click store references. */
  async *unnamedBlocks(now: number): AsyncGenerator<{ id: string; linkId: string }> {
    const before = ObjectId.createFromTime(Math.floor((now - OLD_MS) / 1000));
    const old = this.blocks
      .find({ _id: { $lt: before } })
      .project<Pick<StoredBlock, '_id' | 'link'>>({ link: 1 });
    for await (const { _id, link } of old) {
      const named = { _id: link, 'blocks.id': _id };
      if ((await this.stores.countDocuments(named)) > 0) continue;
      if (await this.totals.isClearing(link)) continue;
      yield { id: _id.toHexString(), linkId: link.toHexString() };
    }
  }

  /** Corrects the totals, unless the click store has changed since it was read. */
  async repairClickStore(store: ClickStoreRecord, findings: ClickStoreFindings): Promise<boolean> {
    const { counted, inlineChunks, blocks, damaged } = findings;
    if (damaged.length > 0) {
      const chunks = damaged.map((bytes) => ({
        link: store._id,
        found: new Date(),
        data: new mongo.Binary(bytes),
      }));
      await this.connection.collection('damaged_chunks').insertMany(chunks);
    }
    const filter = { _id: store._id, rev: store.revision };
    const { first, last } = counted;
    if (last === null && store.since === undefined) {
      // No readable clicks are left, and a link without clicks needs no click store.
      return (await this.stores.deleteOne(filter)).deletedCount === 1;
    }
    const change = {
      total: counted.total,
      open: counted.open,
      ...(first !== null && last !== null && { first: new Date(first), last: new Date(last) }),
      tail: inlineChunks,
      tail_n: inlineChunks.length,
      tail_bytes: inlineChunks.reduce((sum, { data }) => sum + data.length(), 0),
      blocks,
    };
    const noTimes = last === null && { $unset: { first: '' as const, last: '' as const } };
    const update = { $set: change, ...noTimes, $inc: { rev: 1 } };
    const repaired = await this.stores.updateOne(filter, update);
    return repaired.modifiedCount === 1;
  }

  repairLink(link: StoredTotals, store: ClickStoreRecord | null): Promise<boolean> {
    return this.links.repairTotals(link, {
      total_clicks: store?.total ?? 0,
      open_clicks: store?.open ?? 0,
      last_click: store?.last ?? null,
    });
  }

  async removeClickStore(linkId: string): Promise<boolean> {
    const id = new ObjectId(linkId);
    await this.blocks.deleteMany({ link: id });
    return (await this.stores.deleteOne({ _id: id })).deletedCount === 1;
  }

  async removeBlock(id: string): Promise<boolean> {
    return (await this.blocks.deleteOne({ _id: new ObjectId(id) })).deletedCount === 1;
  }

  private get stores(): Collection<StoredClickStore> {
    return this.connection.collection<StoredClickStore>(CLICK_STORES);
  }

  private get blocks(): Collection<StoredBlock> {
    return this.connection.collection<StoredBlock>(CLICK_BLOCKS);
  }
}
