import { createHash } from 'node:crypto';
import type { Click } from '../../engines/click-engine/click';
import { isOpenClick } from '../../engines/click-engine/signals';
import { encodeColumns } from '../../engines/click-engine/chunk/chunk';
import { type ChunkColumns, columnsOfClicks } from '../../engines/click-engine/chunk/chunk-columns';
import { boundTypedValues } from './typed-values';

/** Clicks of one chunk at most; keeps a chunk far below the 16 MB of a document. */
const CHUNK_CLICKS = 50_000;
const CLICK_CHUNK_BYTES = 8 * 1024 * 1024;
/** Larger chunks are blocks from the start, so that stores stay quick to rewrite. */
const MAX_INLINE_BYTES = 4096;

/** An encoded chunk and what a click store says about it. */
export interface EncodedChunk {
  n: number;
  from: Date;
  to: Date;
  data: Buffer;
}

/** Clicks that one batch adds to the click store of one link. */
export interface ClickBatchEntry {
  linkId: string;
  total: number;
  /** Clicks that count toward a limit although they took no slot. */
  open: number;
  first: Date;
  last: Date;
  chunks: EncodedChunk[];
}

/** Clicks of many links that are recorded together, under one number. */
export interface ClickBatch {
  /** Name of the recording node: 8 hex characters, unique to an installation. */
  node: string;
  /** Rises from batch to batch of a node; a repeated batch has its old number. */
  number: number;
  entries: readonly ClickBatchEntry[];
}

/** The entry for a link's clicks of a batch; there is at least one. */
export function clickBatchEntry(linkId: string, clicks: readonly Click[]): ClickBatchEntry {
  return { ...tallyEntry(linkId, clicks), chunks: encodeChunks(clicks) };
}

/** The same without the clicks, which are kept elsewhere. */
export function tallyEntry(linkId: string, clicks: readonly Click[]): ClickBatchEntry {
  const { from, to } = toTimeSpan(clicks);
  return {
    linkId,
    total: clicks.length,
    open: clicks.filter(isOpenClick).length,
    first: from,
    last: to,
    chunks: [],
  };
}

/** Clicks of a link as columns, of which each chunk has bounded values. */
export function boundedColumns(clicks: readonly Click[]): ChunkColumns[] {
  if (clicks.length <= CHUNK_CLICKS) return [boundTypedValues(columnsOfClicks(clicks))];
  const middle = clicks.length >> 1;
  return [...boundedColumns(clicks.slice(0, middle)), ...boundedColumns(clicks.slice(middle))];
}

function encodeChunks(clicks: readonly Click[]): EncodedChunk[] {
  if (clicks.length > CHUNK_CLICKS) return halves(clicks);
  const data = encodeColumns(boundTypedValues(columnsOfClicks(clicks)));
  if (data.length > CLICK_CHUNK_BYTES && clicks.length > 1) return halves(clicks);
  return [{ n: clicks.length, ...toTimeSpan(clicks), data }];
}

function halves(clicks: readonly Click[]): EncodedChunk[] {
  const middle = clicks.length >> 1;
  return [...encodeChunks(clicks.slice(0, middle)), ...encodeChunks(clicks.slice(middle))];
}

function toTimeSpan(clicks: readonly Click[]): { from: Date; to: Date } {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { at } of clicks) {
    if (at < from) from = at;
    if (at > to) to = at;
  }
  return { from: new Date(from), to: new Date(to) };
}

/** A chunk that is stored as a block, with the id of the block. */
export interface NewBlockChunk extends EncodedChunk {
  id: string;
}

/** The chunks of an entry that go into the click store itself, and those that are blocks. */
export function placedChunks(
  batch: ClickBatch,
  { linkId, chunks }: ClickBatchEntry,
): { inline: EncodedChunk[]; blocks: NewBlockChunk[] } {
  const inline: EncodedChunk[] = [];
  const blocks: NewBlockChunk[] = [];
  chunks.forEach((chunk, part) => {
    if (chunk.data.length <= MAX_INLINE_BYTES) inline.push(chunk);
    else blocks.push({ ...chunk, id: toBlockId(batch, linkId, part) });
  });
  return { inline, blocks };
}

/**
 * Id of a block that a batch stores: an ObjectId (24 hex) that is the same whenever the batch is
 * repeated. Its time is the batch's, whose number is a time in milliseconds.
 */
function toBlockId(batch: ClickBatch, linkId: string, part: number): string {
  const seconds = Math.floor(batch.number / 1000) % 2 ** 32;
  const rest = createHash('sha256')
    .update(`${linkId}.${batch.node}.${batch.number}.${part}`)
    .digest('hex')
    .slice(0, 16);
  return seconds.toString(16).padStart(8, '0') + rest;
}
