import { mongo } from 'mongoose';
import { blockIdOf, type LedgerBatch } from './ledger-batch';
import type { EncodedChunk, LedgerEntry } from './ledger-entry';
import type { StoredBlock, StoredBlockRef, StoredChunk, StoredLedger } from './stored-ledger';

/** Larger chunks are blocks from the start, so that ledgers stay quick to rewrite. */
const INLINE_BYTES = 4096;

type LedgerUpdate = mongo.AnyBulkWriteOperation<StoredLedger>;

/** The chunks of an entry that do not go into the ledger itself, as documents. */
export function blocksOf(batch: LedgerBatch, entry: LedgerEntry): StoredBlock[] {
  const link = new mongo.ObjectId(entry.linkId);
  return entry.chunks.flatMap((chunk, part) =>
    isInline(chunk)
      ? []
      : [{ _id: blockId(batch, entry, part), link, ...spanOf(chunk), data: binary(chunk) }],
  );
}

/**
 * The one update that records an entry: counts, chunks and the node's mark change together, and
 * only while the mark is below the batch's number.
 */
export function updateOf(batch: LedgerBatch, entry: LedgerEntry, upsert: boolean): LedgerUpdate {
  const mark = `marks.${batch.node}`;
  const tail = entry.chunks.filter(isInline).map(inlineChunk);
  const blocks = entry.chunks.flatMap((chunk, part) =>
    isInline(chunk) ? [] : [blockRef(chunk, blockId(batch, entry, part))],
  );
  return {
    updateOne: {
      filter: {
        _id: new mongo.ObjectId(entry.linkId),
        [mark]: { $not: { $gte: batch.number } },
      },
      update: {
        $inc: {
          total: entry.total,
          open: entry.open,
          tail_n: tail.length,
          tail_bytes: tail.reduce((sum, { data }) => sum + data.length(), 0),
          rev: 1,
        },
        $min: { first: entry.first },
        $max: { last: entry.last },
        $set: { [mark]: batch.number },
        ...additions({ tail, blocks }),
      },
      upsert,
    },
  };
}

/** Pushes what there is; a new ledger gets the other list empty. An empty push would cost time. */
function additions(lists: Pick<StoredLedger, 'tail' | 'blocks'>): object {
  const given = Object.entries(lists).filter(([, items]) => items.length > 0);
  const empty = Object.entries(lists).filter(([, items]) => items.length === 0);
  return {
    $push: Object.fromEntries(given.map(([name, items]) => [name, { $each: items }])),
    ...(empty.length > 0 && { $setOnInsert: Object.fromEntries(empty) }),
  };
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

function blockId(batch: LedgerBatch, { linkId }: LedgerEntry, part: number): mongo.ObjectId {
  return new mongo.ObjectId(blockIdOf(batch, linkId, part));
}

function spanOf({ n, from, to }: EncodedChunk): { n: number; from: Date; to: Date } {
  return { n, from, to };
}

function binary({ data }: EncodedChunk): mongo.Binary {
  return new mongo.Binary(data);
}
