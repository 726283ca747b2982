import { type Collection, type Connection, mongo } from 'mongoose';
import {
  type BulkOperationError,
  isRefusal,
  collectWriteErrors,
} from '../../infrastructure/mongo/bulk-write';
import { DOCUMENTS_A_STATEMENT, sliceItems } from '../../infrastructure/mongo/many-documents';
import type { StoredTotals } from '../../stores/links/link-updates';
import { ClicksDeletedError } from '../clicks.errors';
import type { ClickBatch, ClickBatchEntry } from './click-batch';
import {
  appliedBatchField,
  newClickStore,
  storeUpdate,
  toStoredBlocks,
  updateOfMany,
} from './click-store-updates.repository';
import {
  CLICK_BLOCKS,
  CLICK_STORES,
  ClickBlockSchema,
  ClickStoreSchema,
  STORED_NAMES,
  type StoredBlock,
  type StoredClickStore,
} from './click-store.schema';

const DUPLICATE_KEY = 11000;

export class ClickStoreRepository {
  constructor(private readonly connection: Connection) {
    connection.model('ClickStore', ClickStoreSchema);
    connection.model('ClickBlock', ClickBlockSchema);
  }

  async ensureIndexes(): Promise<void> {
    await this.connection.model('ClickBlock').createIndexes();
  }

  /**
   * A repeated batch changes nothing. Returns the links whose entries the database rejects
   * permanently. Throws on any other failure; the batch must then be repeated.
   * @throws ClicksDeletedError
   */
  async apply(batch: ClickBatch): Promise<string[]> {
    const applied = await this.refuseDeleted(batch);
    await this.storeBlocks(batch.entries.flatMap((entry) => toStoredBlocks(batch, entry)));
    const newEntries = batch.entries.filter(({ linkId }) => !applied.has(linkId));
    const standing = batch.entries.filter(
      ({ linkId }) => (applied.get(linkId)?.number ?? Infinity) < batch.number,
    );
    const left = [...(await this.insert(batch, newEntries)), ...(await this.add(batch, standing))];
    return left.length === 0 ? [] : this.applyOneByOne(batch, left);
  }

  async findTotals(linkIds: readonly string[]): Promise<StoredTotals[]> {
    const totals = await this.stores
      .find({ _id: { $in: linkIds.map((id) => new mongo.ObjectId(id)) } })
      .project<Pick<StoredClickStore, '_id' | 'total' | 'open' | 'last' | 'since'>>({
        total: 1,
        open: 1,
        last: 1,
        since: 1,
      })
      .toArray();
    return totals.map(({ _id, total, open, last, since }) => ({
      _id,
      total_clicks: total,
      open_clicks: open,
      last_click: last ?? null,
      clicks_deleted_at: since ?? null,
    }));
  }

  /**
   * Returns the node's last batch in each of the batch's click stores.
   * @throws ClicksDeletedError if an entry that is not applied contains deleted clicks
   */
  async refuseDeleted(batch: ClickBatch): Promise<ReadonlyMap<string, AppliedBatch>> {
    const applied = await this.appliedBatches(batch);
    const deleted = new Map<string, number>();
    for (const { linkId, first } of batch.entries) {
      const { number = -Infinity, since = -Infinity } = applied.get(linkId) ?? {};
      if (number < batch.number && since >= first.getTime()) deleted.set(linkId, since);
    }
    if (deleted.size > 0) throw new ClicksDeletedError(deleted);
    return applied;
  }

  /** Does not remove clicks that are recorded afterwards. */
  async remove(linkIds: readonly string[]): Promise<void> {
    if (linkIds.length === 0) return;
    const ids = linkIds.map((id) => new mongo.ObjectId(id));
    await this.stores.deleteMany({ _id: { $in: ids } });
    await this.clickBlocks.deleteMany({ link: { $in: ids } });
  }

  /** Removes a node's last batch number, once that batch can no longer be repeated. */
  async forgetNode(node: string, linkIds: readonly string[]): Promise<void> {
    const field = `${STORED_NAMES.appliedBatches}.${node}`;
    for (const slice of sliceItems(linkIds, DOCUMENTS_A_STATEMENT)) {
      const ids = slice.map((id) => new mongo.ObjectId(id));
      const known = { _id: { $in: ids }, [field]: { $exists: true } };
      await this.stores.updateMany(known, { $unset: { [field]: '' } });
    }
  }

  private async storeBlocks(blocks: StoredBlock[]): Promise<void> {
    if (blocks.length === 0) return;
    const errors = await collectWriteErrors(
      this.clickBlocks.insertMany(blocks, { ordered: false }),
    );
    // Blocks that already exist were stored by an earlier attempt for this batch.
    const [failure] = errors.filter(({ code }) => code !== DUPLICATE_KEY);
    if (failure !== undefined) throw failure;
  }

  private async appliedBatches(batch: ClickBatch): Promise<Map<string, AppliedBatch>> {
    const ids = batch.entries.map(({ linkId }) => new mongo.ObjectId(linkId));
    const found = this.stores
      .find({ _id: { $in: ids } })
      .project<Pick<StoredClickStore, '_id'> & Partial<Pick<StoredClickStore, 'marks' | 'since'>>>({
        [appliedBatchField(batch)]: 1,
        since: 1,
      });
    const applied = new Map<string, AppliedBatch>();
    for await (const { _id, marks: appliedBatches, since } of found) {
      const number = appliedBatches?.[batch.node] ?? -Infinity;
      applied.set(_id.toHexString(), { number, since: since?.getTime() ?? -Infinity });
    }
    return applied;
  }

  /** Creates click stores; returns entries that are rejected or whose store already exists. */
  private async insert(
    batch: ClickBatch,
    entries: readonly ClickBatchEntry[],
  ): Promise<ClickBatchEntry[]> {
    if (entries.length === 0) return [];
    const newStores = entries.map((entry) => newClickStore(batch, entry));
    const errors = await collectWriteErrors(this.stores.insertMany(newStores, { ordered: false }));
    return toFailedEntries(entries, errors, true).map(({ entry }) => entry);
  }

  /** Updates existing click stores; returns the entries that could not be applied. */
  private async add(
    batch: ClickBatch,
    entries: readonly ClickBatchEntry[],
  ): Promise<ClickBatchEntry[]> {
    if (entries.length === 0) return [];
    const updates = sliceItems(entries, DOCUMENTS_A_STATEMENT).map((slice) =>
      updateOfMany(batch, slice),
    );
    let added = 0;
    // Retries each store separately, because a damaged store makes the statement fail for all
    // stores.
    await collectWriteErrors(
      this.stores.bulkWrite(updates, { ordered: false }).then(({ matchedCount }) => {
        added = matchedCount;
      }),
    );
    if (added === entries.length) return [];
    return this.notApplied(batch, entries);
  }

  /** Applies the remaining entries one by one, which is slower, to find the rejected ones. */
  private async applyOneByOne(
    batch: ClickBatch,
    entries: readonly ClickBatchEntry[],
  ): Promise<string[]> {
    const failures = await this.update(batch, entries, true);
    // The upsert fails with a duplicate key if the store includes this batch, or if another node
    // has just created the store; in the latter case, the second attempt succeeds.
    const collided = failures.filter(({ code }) => code === DUPLICATE_KEY);
    const again = collided.map(({ entry }) => entry);
    const rest = failures.filter(({ code }) => code !== DUPLICATE_KEY);
    if (again.length > 0) rest.push(...(await this.update(batch, again, false)));
    await this.refuseDeleted({ ...batch, entries: await this.notApplied(batch, again) });
    return rest.map(({ entry }) => entry.linkId);
  }

  private async notApplied(
    batch: ClickBatch,
    entries: readonly ClickBatchEntry[],
  ): Promise<ClickBatchEntry[]> {
    const applied = await this.appliedBatches({ ...batch, entries });
    return entries.filter(
      ({ linkId }) => (applied.get(linkId)?.number ?? -Infinity) < batch.number,
    );
  }

  private async update(
    batch: ClickBatch,
    entries: readonly ClickBatchEntry[],
    upsert: boolean,
  ): Promise<FailedEntry[]> {
    const updates = entries.map((entry) => storeUpdate(batch, entry, upsert));
    const errors = await collectWriteErrors(this.stores.bulkWrite(updates, { ordered: false }));
    return toFailedEntries(entries, errors, upsert);
  }

  private get stores(): Collection<StoredClickStore> {
    return this.connection.collection<StoredClickStore>(CLICK_STORES);
  }

  private get clickBlocks(): Collection<StoredBlock> {
    return this.connection.collection<StoredBlock>(CLICK_BLOCKS);
  }
}

interface AppliedBatch {
  /** The node's last batch in the click store; -Infinity if there is none. */
  readonly number: number;
  /** The click store's boundary in milliseconds; -Infinity if there is none. */
  readonly since: number;
}

interface FailedEntry {
  code: number;
  entry: ClickBatchEntry;
}

function toFailedEntries(
  entries: readonly ClickBatchEntry[],
  errors: readonly BulkOperationError[],
  mayCollide: boolean,
): FailedEntry[] {
  return errors.map((error) => {
    const entry = entries[error.index];
    const expected = isRefusal(error) || (mayCollide && error.code === DUPLICATE_KEY);
    if (entry === undefined || !expected) throw error;
    return { code: error.code, entry };
  });
}
