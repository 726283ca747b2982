import { VISITOR_WORDS, type VisitorOrder, visitorOrder } from '../chunk/visitor-order';
import { firstVisitor, type Segment } from './segment';

/** Maximum rows per slice, so that a slice fits into the CPU cache. */
const SLICE_ROWS = 65_536;
const WORDS = 2 ** 32;

/** Consecutive visitors in a segment. */
export interface Stretch {
  readonly segment: Segment;
  readonly place: number;
  readonly from: number;
  readonly to: number;
}

/** Consecutive visitors in the merged segment. */
export interface MergeSlice {
  /** The visitors that each input segment contributes to the slice. */
  readonly stretches: readonly Stretch[];
  readonly row: number;
  readonly rows: number;
  readonly visitors: Uint32Array;
  /** Each visitor's first row in the slice, followed by the number of rows. */
  readonly visitorRows: Uint32Array;
  /** Each input visitor's position in the slice; inputs are concatenated by stretch. */
  readonly positions: Uint32Array;
  /** 1 if the visitor occurs in no earlier stretch. */
  readonly isFirst: Uint8Array;
  /** Each input row's position in the slice; null if the row order does not change. */
  readonly targets: Uint32Array | null;
}

export function* splitSegments(segments: readonly Segment[]): Generator<MergeSlice> {
  const all = segments.map((segment, place) => {
    return { segment, place, from: 0, to: segment.visitorRows.length - 1 };
  });
  let row = 0;
  for (const stretches of splitStretches(all, 0, WORDS)) {
    const slice = sliceFrom(stretches, row);
    yield slice;
    row += slice.rows;
  }
}

/** Halves the hash range until it has few rows or only a single hash prefix. */
function* splitStretches(all: readonly Stretch[], low: number, high: number): Generator<Stretch[]> {
  const stretches = all.filter(({ from, to }) => to > from);
  if (stretches.length === 0) return;
  if (
    high - low === 1 ||
    stretches.reduce((sum, stretch) => sum + stretchRows(stretch), 0) <= SLICE_ROWS
  ) {
    yield stretches;
    return;
  }
  const middle = (low + high) / 2;
  const borders = stretches.map(({ segment, from, to }) => firstVisitor(segment, middle, from, to));
  const before = stretches.map((stretch, i) => ({ ...stretch, to: borders[i] ?? 0 }));
  const after = stretches.map((stretch, i) => ({ ...stretch, from: borders[i] ?? 0 }));
  yield* splitStretches(before, low, middle);
  yield* splitStretches(after, middle, high);
}

function stretchRows({ segment: { visitorRows }, from, to }: Stretch): number {
  return (visitorRows[to] ?? 0) - (visitorRows[from] ?? 0);
}

function sliceFrom(stretches: readonly Stretch[], row: number): MergeSlice {
  const lists = stretches.map(({ segment: { visitors }, from, to }) =>
    visitors.subarray(from * VISITOR_WORDS, to * VISITOR_WORDS),
  );
  const order = visitorOrder(lists);
  const { distinct } = order;
  const count = order.places.length;
  const starts = rowCounts(stretches, count);
  const positions = new Uint32Array(count);
  const isFirst = new Uint8Array(count);
  const visitorRows = new Uint32Array(distinct + 1);
  putInOrder(order, positions, isFirst, starts, visitorRows);
  const rows = visitorRows[distinct] ?? 0;
  const visitors = new Uint32Array(distinct * VISITOR_WORDS);
  let first = 0;
  for (const words of lists) {
    copyFirst(words, positions, isFirst, first, visitors);
    first += words.length / VISITOR_WORDS;
  }
  const targets = distinct === 1 ? null : rowTargets(stretches, starts, rows);
  return { stretches, row, rows, visitors, visitorRows, positions, isFirst, targets };
}

function rowCounts(stretches: readonly Stretch[], visitors: number): Uint32Array {
  const counts = new Uint32Array(visitors);
  let next = 0;
  for (const { segment, from, to } of stretches) {
    countRows(segment.visitorRows.subarray(from, to + 1), counts, next);
    next += to - from;
  }
  return counts;
}

function countRows(visitorRows: Uint32Array, counts: Uint32Array, first: number): void {
  for (let at = 1; at < visitorRows.length; at += 1) {
    counts[first + at - 1] = (visitorRows[at] ?? 0) - (visitorRows[at - 1] ?? 0);
  }
}

/** Replaces row counts by start positions, for input visitors and for the slice. */
function putInOrder(
  { places, numbers }: VisitorOrder,
  positions: Uint32Array,
  isFirst: Uint8Array,
  starts: Uint32Array,
  visitorRows: Uint32Array,
): void {
  let rows = 0;
  let before = 0;
  for (let entry = 0; entry < places.length; entry += 1) {
    const place = places[entry] ?? 0;
    const number = numbers[entry] ?? 0;
    const count = starts[place] ?? 0;
    positions[place] = number - 1;
    starts[place] = rows;
    if (number !== before) isFirst[place] = 1;
    before = number;
    rows += count;
    visitorRows[number] = rows;
  }
}

function copyFirst(
  words: Uint32Array,
  positions: Uint32Array,
  isFirst: Uint8Array,
  first: number,
  into: Uint32Array,
): void {
  for (let from = 0, entry = first; from < words.length; from += VISITOR_WORDS, entry += 1) {
    if (isFirst[entry] === 0) continue;
    const to = (positions[entry] ?? 0) * VISITOR_WORDS;
    for (let word = 0; word < VISITOR_WORDS; word += 1) into[to + word] = words[from + word] ?? 0;
  }
}

function rowTargets(stretches: readonly Stretch[], starts: Uint32Array, rows: number): Uint32Array {
  const targets = new Uint32Array(rows);
  let next = 0;
  let entry = 0;
  for (const stretch of stretches) {
    const { segment, from, to } = stretch;
    aimRows(segment.visitorRows.subarray(from, to + 1), starts, entry, targets, next);
    entry += to - from;
    next += stretchRows(stretch);
  }
  return targets;
}

function aimRows(
  visitorRows: Uint32Array,
  starts: Uint32Array,
  entry: number,
  targets: Uint32Array,
  first: number,
): void {
  let next = first;
  for (let at = 1; at < visitorRows.length; at += 1) {
    let target = starts[entry + at - 1] ?? 0;
    const end = next + (visitorRows[at] ?? 0) - (visitorRows[at - 1] ?? 0);
    for (; next < end; next += 1, target += 1) targets[next] = target;
  }
}
