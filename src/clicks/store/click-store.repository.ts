import { type Collection, type Connection, mongo } from 'mongoose';
import {
  type BulkOperationError,
  isRefusal,
  collectWriteErrors,
} from '../../infrastructure/mongo/bulk-write';
import {
  DOCUMENTS_A_STATEMENT,
  sliceItems,
  valueByDocument,
} from '../../infrastructure/mongo/many-documents';
import type { StoredTotals } from '../../stores/links/link-updates';
import { type ClickBatch, type ClickBatchEntry, placedChunks } from './click-batch';
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
   */
  async apply(batch: ClickBatch): Promise<string[]> {
    await this.storeBlocks(batch.entries.flatMap((entry) => toStoredBlocks(batch, entry)));
    const applied = await this.appliedBatches(batch);
    const newEntries = batch.entries.filter(({ linkId }) => !applied.has(linkId));
    const standing = batch.entries.filter(
      ({ linkId }) => (applied.get(linkId) ?? Infinity) < batch.number,
    );
    const left = [...(await this.insert(batch, newEntries)), ...(await this.add(batch, standing))];
    return left.length === 0 ? [] : this.applyOneByOne(batch, left);
  }

  async findTotals(linkIds: readonly string[]): Promise<StoredTotals[]> {
    const totals = await this.stores
      .find({ _id: { $in: linkIds.map((id) => new mongo.ObjectId(id)) } })
      .project<Pick<StoredClickStore, '_id' | 'total' | 'open' | 'last'>>({
        total: 1,
        open: 1,
        last: 1,
      })
      .toArray();
    return totals.map(({ _id, total, open, last }) => ({
      _id,
      total_clicks: total,
      open_clicks: open,
      last_click: last,
    }));
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

  /** Returns the node's last batch by click store; -Infinity if there is none. */
  private async appliedBatches(batch: ClickBatch): Promise<Map<string, number>> {
    const ids = batch.entries.map(({ linkId }) => new mongo.ObjectId(linkId));
    const found = this.stores
      .find({ _id: { $in: ids } })
      .project<Pick<StoredClickStore, '_id'> & Partial<Pick<StoredClickStore, 'marks'>>>({
        [appliedBatchField(batch)]: 1,
      });
    const applied = new Map<string, number>();
    for await (const { _id, marks: appliedBatches } of found) {
      applied.set(_id.toHexString(), appliedBatches?.[batch.node] ?? -Infinity);
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
    const applied = await this.appliedBatches({ ...batch, entries });
    return entries.filter(({ linkId }) => (applied.get(linkId) ?? -Infinity) < batch.number);
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
    return rest.map(({ entry }) => entry.linkId);
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

type ClickStoreUpdate = mongo.AnyBulkWriteOperation<StoredClickStore>;

type Addition = Omit<StoredClickStore, '_id' | 'rev' | 'marks'>;

function toAddition(batch: ClickBatch, entry: ClickBatchEntry): Addition {
  const { total, open, first, last } = entry;
  const { inline, blocks } = placedChunks(batch, entry);
  return {
    total,
    open,
    first,
    last,
    tail: inline.map(({ data, ...chunk }) => ({ ...chunk, data: new mongo.Binary(data) })),
    tail_n: inline.length,
    tail_bytes: inline.reduce((sum, { data }) => sum + data.length, 0),
    blocks: blocks.map(({ id, data, ...chunk }) => ({
      ...chunk,
      id: new mongo.ObjectId(id),
      bytes: data.length,
    })),
  };
}

function toStoredBlocks(batch: ClickBatch, entry: ClickBatchEntry): StoredBlock[] {
  const link = new mongo.ObjectId(entry.linkId);
  return placedChunks(batch, entry).blocks.map(({ id, data, ...chunk }) => ({
    ...chunk,
    _id: new mongo.ObjectId(id),
    link,
    data: new mongo.Binary(data),
  }));
}

function newClickStore(batch: ClickBatch, entry: ClickBatchEntry): StoredClickStore {
  return {
    _id: new mongo.ObjectId(entry.linkId),
    ...toAddition(batch, entry),
    rev: 1,
    marks: { [batch.node]: batch.number },
  };
}

/** Atomically changes counts, chunks and the last batch, unless the store includes the batch. */
function storeUpdate(batch: ClickBatch, entry: ClickBatchEntry, upsert: boolean): ClickStoreUpdate {
  const { total, open, first, last, tail, tail_n, tail_bytes, blocks } = toAddition(batch, entry);
  return {
    updateOne: {
      filter: { _id: new mongo.ObjectId(entry.linkId), ...notApplied(batch) },
      update: {
        $inc: { total, open, tail_n, tail_bytes, rev: 1 },
        $min: { first },
        $max: { last },
        $set: { [appliedBatchField(batch)]: batch.number },
        $push: { tail: { $each: tail }, blocks: { $each: blocks } },
      },
      upsert,
    },
  };
}

function updateOfMany(batch: ClickBatch, entries: readonly ClickBatchEntry[]): ClickStoreUpdate {
  const ids = entries.map(({ linkId }) => new mongo.ObjectId(linkId));
  const additions = entries.map((entry) => toAddition(batch, entry));
  const sum = (field: keyof Addition): object => ({
    $add: [{ $ifNull: [`$${field}`, 0] }, `$adding.${field}`],
  });
  const list = (field: keyof Addition): object => ({
    $concatArrays: [{ $ifNull: [`$${field}`, []] }, `$adding.${field}`],
  });
  return {
    updateMany: {
      filter: { _id: { $in: ids }, ...notApplied(batch) },
      update: [
        { $set: { adding: valueByDocument(ids, additions) } },
        {
          $set: {
            total: sum('total'),
            open: sum('open'),
            tail_n: sum('tail_n'),
            tail_bytes: sum('tail_bytes'),
            first: { $min: ['$first', '$adding.first'] },
            last: { $max: ['$last', '$adding.last'] },
            tail: list('tail'),
            blocks: list('blocks'),
            rev: { $add: [{ $ifNull: ['$rev', 0] }, 1] },
            [appliedBatchField(batch)]: batch.number,
          },
        },
        { $unset: 'adding' },
      ],
    },
  };
}

function appliedBatchField({ node }: ClickBatch): string {
  return `${STORED_NAMES.appliedBatches}.${node}`;
}

function notApplied(batch: ClickBatch): Record<string, unknown> {
  return { [appliedBatchField(batch)]: { $not: { $gte: batch.number } } };
}
