import type { CountedList } from './counting-question';
import type { SourceMarks } from './source-marks';
import type { DistinctVisitors } from './distinct-visitors';
import type { Segment, SegmentColumn, SegmentTimes } from '../reading/segment';

// Each memory layout of a column has a separate loop, because this code is performance-critical.

/** Visitors in a segment from `from` up to but excluding `to`. */
export interface VisitorSpan {
  readonly segment: Segment;
  readonly from: number;
  readonly to: number;
  /** Visitor `v`'s number is `v + offset`; numbers start at 1. */
  readonly offset: number;
}

export interface List {
  readonly counted: CountedList;
  readonly clicks: Uint32Array;
  readonly visitors: Uint32Array;
  readonly distinct: DistinctVisitors;
}

export interface SelectedRows {
  readonly rows: Uint32Array;
  /** Visitor `v`'s rows are in `rows` from `starts[v]` up to but excluding `starts[v + 1]`. */
  readonly starts: Uint32Array;
  readonly places: Uint32Array;
  readonly numbers: Uint32Array;
  /** Number of entries in use; the arrays are reused for many short spans. */
  count: number;
  visitors: number;
}

export function columnNotRead(name: string): never {
  throw new RangeError(`The column ${name} was not read`);
}

export function segmentTimes({ at }: Segment): SegmentTimes {
  return at ?? columnNotRead('at');
}

export function countedColumn(
  segment: Segment,
  counted: CountedList & { by: 'link' | 'column' },
): SegmentColumn {
  if (counted.by === 'link') return segment.sources;
  return segment.columns[counted.name] ?? columnNotRead(counted.name);
}

export function countVisitors(
  { from, to, offset }: VisitorSpan,
  distinct: DistinctVisitors,
): number {
  let count = 0;
  for (let visitor = from; visitor < to; visitor += 1) {
    const number = visitor + offset;
    if (distinct.isNew(0, number)) count += 1;
  }
  return count;
}

/** Counts a value that all of a visitor's rows share once, weighted by the number of rows. */
export function countVisitorColumn(
  { clicks, visitors, distinct }: List,
  { ids }: SegmentColumn,
  { segment: { visitorRows }, from, to, offset }: VisitorSpan,
): void {
  for (let visitor = from; visitor < to; visitor += 1) {
    const value = ids[visitor] ?? 0;
    const number = visitor + offset;
    const rows = (visitorRows[visitor + 1] ?? 0) - (visitorRows[visitor] ?? 0);
    clicks[value] = (clicks[value] ?? 0) + rows;
    if (distinct.isNew(value, number)) visitors[value] = (visitors[value] ?? 0) + 1;
  }
}

export function countRowColumn(
  { clicks, visitors, distinct }: List,
  { ids }: SegmentColumn,
  { segment: { visitorRows }, from, to, offset }: VisitorSpan,
): void {
  let row = visitorRows[from] ?? 0;
  for (let visitor = from; visitor < to; visitor += 1) {
    const number = visitor + offset;
    const end = visitorRows[visitor + 1] ?? 0;
    for (; row < end; row += 1) {
      const value = ids[row] ?? 0;
      clicks[value] = (clicks[value] ?? 0) + 1;
      if (distinct.isNew(value, number)) visitors[value] = (visitors[value] ?? 0) + 1;
    }
  }
}

/** Counts each number in the column as the value that `meant` maps it to. */
export function countNumbered(
  { clicks, visitors, distinct }: List,
  { ids, perVisitor }: SegmentColumn,
  meant: Uint32Array,
  { segment: { visitorRows }, from, to, offset }: VisitorSpan,
): void {
  let row = visitorRows[from] ?? 0;
  for (let visitor = from; visitor < to; visitor += 1) {
    const number = visitor + offset;
    const end = visitorRows[visitor + 1] ?? 0;
    for (; row < end; row += 1) {
      const value = meant[ids[perVisitor ? visitor : row] ?? 0] ?? 0;
      clicks[value] = (clicks[value] ?? 0) + 1;
      if (distinct.isNew(value, number)) visitors[value] = (visitors[value] ?? 0) + 1;
    }
  }
}

/** Counts a row once per mark on its source, and a visitor once per mark. */
export function countMarks(
  { clicks, visitors, distinct }: List,
  { starts, numbers: marks }: SourceMarks,
  { segment: { sources, visitorRows }, from, to, offset }: VisitorSpan,
): void {
  const { ids, perVisitor } = sources;
  for (let visitor = from; visitor < to; visitor += 1) {
    const number = visitor + offset;
    const [first, end] = [visitorRows[visitor] ?? 0, visitorRows[visitor + 1] ?? 0];
    // If all of a visitor's rows have the same source, they are counted in a single step.
    const step = perVisitor ? end - first : 1;
    for (let row = first; row < end; row += step) {
      const source = ids[perVisitor ? visitor : row] ?? 0;
      const last = starts[source + 1] ?? 0;
      for (let at = starts[source] ?? 0; at < last; at += 1) {
        const mark = marks[at] ?? 0;
        clicks[mark] = (clicks[mark] ?? 0) + step;
        if (distinct.isNew(mark, number)) visitors[mark] = (visitors[mark] ?? 0) + 1;
      }
    }
  }
}

export function countTimes(
  { clicks, visitors, distinct }: List,
  starts: Float64Array,
  { base, low, high }: SegmentTimes,
  { segment: { visitorRows }, from, to, offset }: VisitorSpan,
): void {
  const { last, origin, perMs } = bucketWidths(starts);
  let row = visitorRows[from] ?? 0;
  for (let visitor = from; visitor < to; visitor += 1) {
    const number = visitor + offset;
    const end = visitorRows[visitor + 1] ?? 0;
    for (; row < end; row += 1) {
      const at = base + (low[row] ?? 0) + (high === null ? 0 : (high[row] ?? 0) * 2 ** 32);
      let bucket = Math.min(last, Math.max(0, Math.floor((at - origin) * perMs)));
      while (bucket < last && at >= (starts[bucket + 1] ?? Infinity)) bucket += 1;
      while (bucket > 0 && at < (starts[bucket] ?? 0)) bucket -= 1;
      clicks[bucket] = (clicks[bucket] ?? 0) + 1;
      if (distinct.isNew(bucket, number)) visitors[bucket] = (visitors[bucket] ?? 0) + 1;
    }
  }
}

function bucketWidths(starts: Float64Array): { last: number; origin: number; perMs: number } {
  const last = starts.length - 1;
  const origin = starts[0] ?? 0;
  return { last, origin, perMs: last > 0 ? last / ((starts[last] ?? 0) - origin) : 0 };
}

export function countSelectedVisitors(
  { clicks, visitors, distinct }: List,
  { ids }: SegmentColumn,
  { starts, places, numbers, visitors: selected }: SelectedRows,
): void {
  for (let visitor = 0; visitor < selected; visitor += 1) {
    const value = ids[places[visitor] ?? 0] ?? 0;
    const rows = (starts[visitor + 1] ?? 0) - (starts[visitor] ?? 0);
    clicks[value] = (clicks[value] ?? 0) + rows;
    if (distinct.isNew(value, numbers[visitor] ?? 0)) visitors[value] = (visitors[value] ?? 0) + 1;
  }
}

export function countSelectedRows(
  { clicks, visitors, distinct }: List,
  { ids }: SegmentColumn,
  { rows, starts, numbers, visitors: selected }: SelectedRows,
): void {
  let i = 0;
  for (let visitor = 0; visitor < selected; visitor += 1) {
    const number = numbers[visitor] ?? 0;
    const end = starts[visitor + 1] ?? 0;
    for (; i < end; i += 1) {
      const value = ids[rows[i] ?? 0] ?? 0;
      clicks[value] = (clicks[value] ?? 0) + 1;
      if (distinct.isNew(value, number)) visitors[value] = (visitors[value] ?? 0) + 1;
    }
  }
}

export function countSelectedNumbered(
  { clicks, visitors, distinct }: List,
  { ids, perVisitor }: SegmentColumn,
  meant: Uint32Array,
  { rows, starts, places, numbers, visitors: selected }: SelectedRows,
): void {
  let i = 0;
  for (let visitor = 0; visitor < selected; visitor += 1) {
    const number = numbers[visitor] ?? 0;
    const place = places[visitor] ?? 0;
    const end = starts[visitor + 1] ?? 0;
    for (; i < end; i += 1) {
      const value = meant[ids[perVisitor ? place : (rows[i] ?? 0)] ?? 0] ?? 0;
      clicks[value] = (clicks[value] ?? 0) + 1;
      if (distinct.isNew(value, number)) visitors[value] = (visitors[value] ?? 0) + 1;
    }
  }
}

export function countSelectedMarks(
  { clicks, visitors, distinct }: List,
  { ids, perVisitor }: SegmentColumn,
  { starts: firsts, numbers: marks }: SourceMarks,
  { rows, starts, places, numbers, visitors: selected }: SelectedRows,
): void {
  for (let visitor = 0; visitor < selected; visitor += 1) {
    const number = numbers[visitor] ?? 0;
    const place = places[visitor] ?? 0;
    const end = starts[visitor + 1] ?? 0;
    for (let i = starts[visitor] ?? 0; i < end; i += 1) {
      const source = ids[perVisitor ? place : (rows[i] ?? 0)] ?? 0;
      const last = firsts[source + 1] ?? 0;
      for (let at = firsts[source] ?? 0; at < last; at += 1) {
        const mark = marks[at] ?? 0;
        clicks[mark] = (clicks[mark] ?? 0) + 1;
        if (distinct.isNew(mark, number)) visitors[mark] = (visitors[mark] ?? 0) + 1;
      }
    }
  }
}

export function countSelectedTimes(
  { clicks, visitors, distinct }: List,
  borders: Float64Array,
  { base, low, high }: SegmentTimes,
  { rows, starts, numbers, visitors: selected }: SelectedRows,
): void {
  const { last, origin, perMs } = bucketWidths(borders);
  let i = 0;
  for (let visitor = 0; visitor < selected; visitor += 1) {
    const number = numbers[visitor] ?? 0;
    const end = starts[visitor + 1] ?? 0;
    for (; i < end; i += 1) {
      const row = rows[i] ?? 0;
      const at = base + (low[row] ?? 0) + (high === null ? 0 : (high[row] ?? 0) * 2 ** 32);
      let bucket = Math.min(last, Math.max(0, Math.floor((at - origin) * perMs)));
      while (bucket < last && at >= (borders[bucket + 1] ?? Infinity)) bucket += 1;
      while (bucket > 0 && at < (borders[bucket] ?? 0)) bucket -= 1;
      clicks[bucket] = (clicks[bucket] ?? 0) + 1;
      if (distinct.isNew(bucket, number)) visitors[bucket] = (visitors[bucket] ?? 0) + 1;
    }
  }
}
