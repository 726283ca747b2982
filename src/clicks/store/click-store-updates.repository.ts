import { mongo } from 'mongoose';
import { valueByDocument } from '../../infrastructure/mongo/many-documents';
import { type ClickBatch, type ClickBatchEntry, placedChunks } from './click-batch';
import { STORED_NAMES, type StoredBlock, type StoredClickStore } from './click-store.schema';

type ClickStoreUpdate = mongo.AnyBulkWriteOperation<StoredClickStore>;

type Addition = Omit<
  StoredClickStore,
  '_id' | 'first' | 'last' | 'marks' | 'recount' | 'rev' | 'since'
> &
  Pick<ClickBatchEntry, 'first' | 'last'>;

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

export function toStoredBlocks(batch: ClickBatch, entry: ClickBatchEntry): StoredBlock[] {
  const link = new mongo.ObjectId(entry.linkId);
  return placedChunks(batch, entry).blocks.map(({ id, data, ...chunk }) => ({
    ...chunk,
    _id: new mongo.ObjectId(id),
    link,
    data: new mongo.Binary(data),
  }));
}

export function newClickStore(batch: ClickBatch, entry: ClickBatchEntry): StoredClickStore {
  return {
    _id: new mongo.ObjectId(entry.linkId),
    ...toAddition(batch, entry),
    rev: 1,
    marks: { [batch.node]: batch.number },
  };
}

/** Atomically changes counts, chunks and the last batch, unless the store includes the batch. */
export function storeUpdate(
  batch: ClickBatch,
  entry: ClickBatchEntry,
  upsert: boolean,
): ClickStoreUpdate {
  const { total, open, first, last, tail, tail_n, tail_bytes, blocks } = toAddition(batch, entry);
  return {
    updateOne: {
      filter: { _id: new mongo.ObjectId(entry.linkId), ...notApplied(batch, [entry]) },
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

export function updateOfMany(
  batch: ClickBatch,
  entries: readonly ClickBatchEntry[],
): ClickStoreUpdate {
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
      filter: { _id: { $in: ids }, ...notApplied(batch, entries) },
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
            adding: '$$REMOVE',
          },
        },
      ],
    },
  };
}

export function appliedBatchField({ node }: ClickBatch): string {
  return `${STORED_NAMES.appliedBatches}.${node}`;
}

/** Also excludes stores whose owner has just deleted some of these clicks. */
function notApplied(
  batch: ClickBatch,
  entries: readonly ClickBatchEntry[],
): Record<string, unknown> {
  const first = new Date(Math.min(...entries.map((entry) => entry.first.getTime())));
  return {
    [appliedBatchField(batch)]: { $not: { $gte: batch.number } },
    since: { $not: { $gte: first } },
  };
}
