import { mongo } from 'mongoose';
import { valueByDocument } from '../../infrastructure/mongo/many-documents';
import { blockIdOf, type ClickBatch, type ClickBatchEntry, type EncodedChunk } from './click-batch';
import type {
  ClickStoreRecord,
  StoredBlock,
  StoredBlockRef,
  StoredChunk,
} from './click-store.schema';

/** Larger chunks are blocks from the start, so that stores stay quick to rewrite. */
const INLINE_BYTES = 4096;

type ClickStoreUpdate = mongo.AnyBulkWriteOperation<ClickStoreRecord>;

/** What an entry adds to its click store. */
type Addition = Omit<ClickStoreRecord, '_id' | 'rev' | 'marks'>;

/** The chunks of an entry that do not go into the click store itself, as documents. */
export function blocksOf(batch: ClickBatch, entry: ClickBatchEntry): StoredBlock[] {
  const link = new mongo.ObjectId(entry.linkId);
  return entry.chunks.flatMap((chunk, part) =>
    isInline(chunk)
      ? []
      : [{ _id: blockId(batch, entry, part), link, ...spanOf(chunk), data: binary(chunk) }],
  );
}

/** The first store of an entry's link. */
export function clickStoreOf(batch: ClickBatch, entry: ClickBatchEntry): ClickStoreRecord {
  return {
    _id: new mongo.ObjectId(entry.linkId),
    ...additionOf(batch, entry),
    rev: 1,
    marks: { [batch.node]: batch.number },
  };
}

/**
 * The update that records an entry: counts, chunks and the node's last batch change together, and
 * only while that is below the batch's number.
 */
export function updateOf(
  batch: ClickBatch,
  entry: ClickBatchEntry,
  upsert: boolean,
): ClickStoreUpdate {
  const { total, open, first, last, tail, tail_n, tail_bytes, blocks } = additionOf(batch, entry);
  return {
    updateOne: {
      filter: { _id: new mongo.ObjectId(entry.linkId), ...notApplied(batch) },
      update: {
        $inc: { total, open, tail_n, tail_bytes, rev: 1 },
        $min: { first },
        $max: { last },
        $set: { [appliedBatchOf(batch)]: batch.number },
        $push: { tail: { $each: tail }, blocks: { $each: blocks } },
      },
      upsert,
    },
  };
}

/** The same for many stores that exist, in one statement: each adds its own entry. */
export function updateOfMany(
  batch: ClickBatch,
  entries: readonly ClickBatchEntry[],
): ClickStoreUpdate {
  const ids = entries.map(({ linkId }) => new mongo.ObjectId(linkId));
  const additions = entries.map((entry) => additionOf(batch, entry));
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
            ...{ total: sum('total'), open: sum('open') },
            ...{ tail_n: sum('tail_n'), tail_bytes: sum('tail_bytes') },
            first: { $min: ['$first', '$adding.first'] },
            last: { $max: ['$last', '$adding.last'] },
            ...{ tail: list('tail'), blocks: list('blocks') },
            rev: { $add: [{ $ifNull: ['$rev', 0] }, 1] },
            [appliedBatchOf(batch)]: batch.number,
          },
        },
        { $unset: 'adding' },
      ],
    },
  };
}

/** Where a click store keeps the last batch of this batch's node. */
export function appliedBatchOf({ node }: ClickBatch): `marks.${string}` {
  return `marks.${node}`;
}

function notApplied(batch: ClickBatch): Record<string, unknown> {
  return { [appliedBatchOf(batch)]: { $not: { $gte: batch.number } } };
}

function additionOf(batch: ClickBatch, entry: ClickBatchEntry): Addition {
  const { total, open, first, last, chunks } = entry;
  const tail = chunks.filter(isInline).map(inlineChunk);
  const tailBytes = tail.reduce((sum, { data }) => sum + data.length(), 0);
  const blocks = chunks.flatMap((chunk, part) =>
    isInline(chunk) ? [] : [blockRef(chunk, blockId(batch, entry, part))],
  );
  return { total, open, first, last, tail, tail_n: tail.length, tail_bytes: tailBytes, blocks };
}

function isInline({ data }: EncodedChunk): boolean {
  return data.length <= INLINE_BYTES;
}

function inlineChunk(chunk: EncodedChunk): StoredChunk {
  return { ...spanOf(chunk), data: binary(chunk) };
}

function blockRef(chunk: EncodedChunk, id: mongo.ObjectId): StoredBlockRef {
  return { id, ...spanOf(chunk), bytes: chunk.data.length };
}

function blockId(batch: ClickBatch, { linkId }: ClickBatchEntry, part: number): mongo.ObjectId {
  return new mongo.ObjectId(blockIdOf(batch, linkId, part));
}

function spanOf({ n, from, to }: EncodedChunk): { n: number; from: Date; to: Date } {
  return { n, from, to };
}

function binary({ data }: EncodedChunk): mongo.Binary {
  return new mongo.Binary(data);
}
