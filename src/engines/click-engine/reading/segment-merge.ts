import { VISITOR_WORDS } from '../chunk/visitor-order';
import { MergedColumn, MergedTimes, MergeScratch } from './merged-columns';
import { type MergeSlice, splitSegments } from './merge-slices';
import type { Segment, SegmentColumn, SegmentTimes } from './segment';
import type { InternedColumn } from './string-interner';

const EMPTY: Segment = {
  n: 0,
  visitors: new Uint32Array(),
  visitorRows: new Uint32Array(1),
  sources: { ids: new Uint8Array(), perVisitor: true },
  at: null,
  redirectMs: null,
  columns: {},
};

/** Merges slice by slice, so it needs little memory besides the result. */
export function mergeSegments(segments: readonly Segment[]): Segment {
  const [only] = segments;
  if (only === undefined) return EMPTY;
  if (segments.length === 1) return only;
  const n = segments.reduce((sum, segment) => sum + segment.n, 0);
  const scratch = new MergeScratch();
  const mergeColumn = (getColumn: (segment: Segment) => SegmentColumn | undefined): MergedColumn =>
    new MergedColumn(
      segments.map((segment) => getColumn(segment) ?? differentColumns()),
      n,
      scratch,
    );
  const sources = mergeColumn((segment) => segment.sources);
  const redirectMs = only.redirectMs && mergeColumn(redirectColumn);
  const names = Object.keys(only.columns) as InternedColumn[];
  const columns = names.map((name) => mergeColumn((segment) => segment.columns[name]));
  const at = only.at && new MergedTimes(segments.map(mergeableTimes), n, scratch);
  const parts = [sources, redirectMs, at, ...columns].filter((part) => part !== null);
  const slices: SliceVisitors[] = [];
  for (const slice of splitSegments(segments)) {
    for (const part of parts) part.add(slice);
    const { visitors, visitorRows, row } = slice;
    slices.push({ visitors, visitorRows, row });
  }
  return {
    n,
    ...mergedVisitors(slices, n),
    sources: sources.column(),
    at: at && at.times,
    redirectMs: redirectMs && redirectMs.column().ids,
    columns: Object.fromEntries(names.map((name, i) => [name, columns[i]?.column()])),
  };
}

function differentColumns(): never {
  throw new RangeError("All of a source's segments must have the same columns");
}

function redirectColumn({ redirectMs }: Segment): SegmentColumn {
  return { ids: redirectMs ?? differentColumns(), perVisitor: false };
}

function mergeableTimes({ at }: Segment): SegmentTimes {
  return at ?? differentColumns();
}

type SliceVisitors = Pick<MergeSlice, 'visitors' | 'visitorRows' | 'row'>;

function mergedVisitors(
  slices: readonly SliceVisitors[],
  n: number,
): Pick<Segment, 'visitors' | 'visitorRows'> {
  const count = slices.reduce((sum, { visitors }) => sum + visitors.length / VISITOR_WORDS, 0);
  const words = new Uint32Array(count * VISITOR_WORDS);
  const rows = new Uint32Array(count + 1);
  let first = 0;
  for (const { visitors, visitorRows, row } of slices) {
    words.set(visitors, first * VISITOR_WORDS);
    for (let i = 0; i < visitorRows.length; i += 1) rows[first + i] = row + (visitorRows[i] ?? 0);
    first += visitorRows.length - 1;
  }
  rows[count] = n;
  return { visitors: words, visitorRows: rows };
}
