import { createHash } from 'node:crypto';
import { type Click, isOpenClick } from '../../engines/click-engine/chunk/click';
import { encodeColumns } from '../../engines/click-engine/chunk/chunk';
import { type ChunkColumns, columnsOfClicks } from '../../engines/click-engine/chunk/chunk-columns';
import { boundTypedValues } from './typed-values';

/** Maximum clicks per chunk, which keeps chunks far below MongoDB's 16 MB limit. */
const CHUNK_CLICKS = 50_000;
const CLICK_CHUNK_BYTES = 8 * 1024 * 1024;
/** Larger chunks are stored as blocks, so that click stores remain small and fast to rewrite. */
export const MAX_INLINE_BYTES = 4096;

export interface EncodedChunk {
  n: number;
  from: Date;
  to: Date;
  data: Buffer;
}

export interface ClickBatchEntry {
  linkId: string;
  total: number;
  /** Number of clicks that did not reserve a slot but still count towards the click limit. */
  open: number;
  first: Date;
  last: Date;
  chunks: EncodedChunk[];
}

export interface ClickBatch {
  /** Id of the recording node: 8 hex characters, unique per installation. */
  node: string;
  /** Increases with each of the node's batches; a repeated batch keeps its number. */
  number: number;
  entries: readonly ClickBatchEntry[];
}

export function clickBatchEntry(linkId: string, clicks: readonly Click[]): ClickBatchEntry {
  return { ...tallyEntry(linkId, clicks), chunks: encodeChunks(clicks) };
}

/** Entry with only totals, for clicks that are stored in ClickHouse. */
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

/** Splits clicks into chunks and limits the size of their values. */
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

export interface NewBlockChunk extends EncodedChunk {
  id: string;
}

export function placedChunks(
  batch: ClickBatch,
  { linkId, first, chunks }: ClickBatchEntry,
): { inline: EncodedChunk[]; blocks: NewBlockChunk[] } {
  const inline: EncodedChunk[] = [];
  const blocks: NewBlockChunk[] = [];
  chunks.forEach((chunk, part) => {
    if (chunk.data.length <= MAX_INLINE_BYTES) inline.push(chunk);
    else blocks.push({ ...chunk, id: toBlockId(batch, `${linkId}.${first.getTime()}`, part) });
  });
  return { inline, blocks };
}

/**
 * Returns a deterministic ObjectId (24 hex characters), so that a repeated batch reuses it.
 * @param clicks the link and its first click, which differs if deleted clicks are omitted
 */
function toBlockId(batch: ClickBatch, clicks: string, part: number): string {
  const seconds = Math.floor(batch.number / 1000) % 2 ** 32;
  const rest = createHash('sha256')
    .update(`${clicks}.${batch.node}.${batch.number}.${part}`)
    .digest('hex')
    .slice(0, 16);
  return seconds.toString(16).padStart(8, '0') + rest;
}
