import { VISITOR_WORDS } from '../chunk/visitor-order';
import { largestNumber, type NarrowNumbers, narrowNumbers } from '../chunk/narrow-numbers';
import type { InternedColumn } from './string-interner';

/** Value numbers, one per visitor if no visitor has several values, otherwise one per row. */
export interface SegmentColumn {
  readonly ids: NarrowNumbers;
  readonly perVisitor: boolean;
}

/** Row times in milliseconds; each is `base + low + high * 2^32`. */
export interface SegmentTimes {
  readonly base: number;
  /** Greatest difference between a row's time and `base`. */
  readonly span: number;
  readonly low: Uint32Array;
  /** Null if all rows are within 50 days. */
  readonly high: NarrowNumbers | null;
}

/** Allocates the upper time bits; null if 32 bits are enough. */
export function highParts(rows: number, span: number): NarrowNumbers | null {
  return span < 2 ** 32 ? null : narrowNumbers(rows, Math.floor(span / 2 ** 32));
}

export type SegmentColumns = Readonly<Partial<Record<InternedColumn, SegmentColumn>>>;

/** Immutable clicks (12 to 16 bytes each), grouped by visitor and sorted by the visitors' hashes. */
export interface Segment {
  readonly n: number;
  /** Visitor hashes, three words each. */
  readonly visitors: Uint32Array;
  /** Visitor `v`'s rows start at `visitorRows[v]` and end before `visitorRows[v + 1]`. */
  readonly visitorRows: Uint32Array;
  /** Each row's source: a block, or a store's inline chunks. */
  readonly sources: SegmentColumn;
  readonly at: SegmentTimes | null;
  readonly redirectMs: NarrowNumbers | null;
  readonly columns: SegmentColumns;
}

/** Visitors whose first hash word is at least `low` and less than `high`. */
export interface VisitorRange {
  readonly low: number;
  readonly high: number;
}

const WORD_RANGE = 2 ** 32;

/** Splits a range into about equal numbers of visitors, because hashes are evenly distributed. */
export function visitorRanges(
  count: number,
  { low, high } = { low: 0, high: WORD_RANGE },
): VisitorRange[] {
  const border = (i: number): number => low + Math.floor((i * (high - low)) / count);
  return Array.from({ length: count }, (_, i) => ({ low: border(i), high: border(i + 1) }));
}

const SEGMENT_OVERHEAD = 2000;

export function segmentBytes(segment: Segment): number {
  return segmentBuffers(segment).reduce(
    (sum, { byteLength }) => sum + byteLength,
    SEGMENT_OVERHEAD,
  );
}

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

/** Returns the index of the first visitor whose first hash word is at least this word. */
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

export function mapColumns(
  columns: SegmentColumns,
  made: (column: SegmentColumn, name: InternedColumn) => SegmentColumn,
): SegmentColumns {
  return Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [name, made(column, name as InternedColumn)]),
  );
}

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
