import { VISITOR_WORDS } from '../chunk/visitor-order';
import { largestNumber, type NarrowNumbers, narrowNumbers } from '../chunk/narrow-numbers';
import type { InternedColumn } from '../reading/string-interner';

/** Numbers of values: one for each visitor where no visitor has two, else one for each row. */
export interface SegmentColumn {
  readonly ids: NarrowNumbers;
  readonly perVisitor: boolean;
}

/** Times of the rows, in milliseconds: `base + low + high * 2^32`. */
export interface SegmentTimes {
  readonly base: number;
  /** No row is later than that after `base`. */
  readonly span: number;
  readonly low: Uint32Array;
  /** Null where the rows span less than 50 days. */
  readonly high: NarrowNumbers | null;
}

/** Room for what of the times lies beyond 32 bits; null where nothing does. */
export function highParts(rows: number, span: number): NarrowNumbers | null {
  return span < 2 ** 32 ? null : narrowNumbers(rows, Math.floor(span / 2 ** 32));
}

export type SegmentColumns = Readonly<Partial<Record<InternedColumn, SegmentColumn>>>;

/**
 * Clicks ready to be counted, some 12 to 16 bytes each where visitors return: rows are grouped by
 * visitor, visitors ascend and are stored once, values are numbers in their narrowest width. It
 * holds the columns that somebody has asked for. Never changed once made.
 */
export interface Segment {
  readonly n: number;
  /** Hashes of the visitors, three words each. */
  readonly visitors: Uint32Array;
  /** Rows of visitor `v` are `visitorRows[v]` up to, not including, `visitorRows[v + 1]`. */
  readonly visitorRows: Uint32Array;
  /** For each row the number of the block or inline chunks that it was read from. */
  readonly sources: SegmentColumn;
  readonly at: SegmentTimes | null;
  readonly redirectMs: NarrowNumbers | null;
  readonly columns: SegmentColumns;
}

/** Visitors whose hash begins with a word from `low` up to, not including, `high`. */
export interface VisitorRange {
  readonly low: number;
  readonly high: number;
}

const WORD_RANGE = 2 ** 32;

/** Cuts a range of visitors into ranges of about equal size: the hashes are evenly spread. */
export function visitorRanges(
  count: number,
  { low, high } = { low: 0, high: WORD_RANGE },
): VisitorRange[] {
  const border = (i: number): number => low + Math.floor((i * (high - low)) / count);
  return Array.from({ length: count }, (_, i) => ({ low: border(i), high: border(i + 1) }));
}

/** Rough memory beside the arrays. */
const SEGMENT_OVERHEAD = 2000;

/** Memory that a segment takes, in bytes. */
export function segmentBytes(segment: Segment): number {
  return segmentBuffers(segment).reduce(
    (sum, { byteLength }) => sum + byteLength,
    SEGMENT_OVERHEAD,
  );
}

/** The memory of a segment, to be handed from thread to thread. */
export function segmentBuffers({
  at,
  redirectMs,
  sources,
  columns,
  ...rest
}: Segment): ArrayBuffer[] {
  const arrays = [rest.visitors, rest.visitorRows, sources.ids, at?.low, at?.high, redirectMs];
  for (const { ids } of Object.values(columns)) arrays.push(ids);
  return arrays.flatMap((array) => (array ? [array.buffer as ArrayBuffer] : []));
}

/** The first of some visitors, or all, whose hash begins with that word or a greater one. */
export function firstVisitor(
  { visitors }: Segment,
  word: number,
  from = 0,
  to = visitors.length / VISITOR_WORDS,
): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((visitors[middle * VISITOR_WORDS] ?? 0) < word) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A copy of the part of a segment that belongs to a range of visitors; null when there is none. */
export function segmentPart(segment: Segment, { low, high }: VisitorRange): Segment | null {
  const first = firstVisitor(segment, low);
  const end = firstVisitor(segment, high);
  if (first === end) return null;
  const { visitors, visitorRows, at, redirectMs, columns } = segment;
  const from = visitorRows[first] ?? 0;
  const to = visitorRows[end] ?? 0;
  const cut = ({ ids, perVisitor }: SegmentColumn): SegmentColumn => ({
    ids: perVisitor ? ids.slice(first, end) : ids.slice(from, to),
    perVisitor,
  });
  return {
    n: to - from,
    visitors: visitors.slice(first * VISITOR_WORDS, end * VISITOR_WORDS),
    visitorRows: visitorRows.slice(first, end + 1).map((row) => row - from),
    sources: cut(segment.sources),
    at: at && { ...at, low: at.low.slice(from, to), high: at.high && at.high.slice(from, to) },
    redirectMs: redirectMs && redirectMs.slice(from, to),
    columns: mapColumns(columns, cut),
  };
}

/** The same columns, each made anew. */
export function mapColumns(
  columns: SegmentColumns,
  made: (column: SegmentColumn, name: InternedColumn) => SegmentColumn,
): SegmentColumns {
  return Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [name, made(column, name as InternedColumn)]),
  );
}

/** New numbers by old ones, in the narrowest width; the same array when nothing changes. */
export function renumbered(ids: NarrowNumbers, numbers: Uint32Array): NarrowNumbers {
  if (changesNothing(numbers)) return ids;
  const into = narrowNumbers(ids.length, largestNumber(numbers));
  renumber(ids, numbers, into);
  return into;
}

function changesNothing(numbers: Uint32Array): boolean {
  for (let old = 0; old < numbers.length; old += 1) if (numbers[old] !== old) return false;
  return true;
}

function renumber(ids: NarrowNumbers, numbers: Uint32Array, into: NarrowNumbers): void {
  for (let i = 0; i < ids.length; i += 1) into[i] = numbers[ids[i] ?? 0] ?? 0;
}
