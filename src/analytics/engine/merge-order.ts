import { visitorOrder } from '../../clicks/store/codec/visitor-order';
import type { Segment } from './segment';

/** Rows of a slice, or a few more: what is put together at one time stays in the processor's cache. */
const ROWS_AT_ONCE = 65_536;

/** Where the visitors and rows of several segments come to stand in a merged one. */
export interface Merge {
  readonly segments: readonly Segment[];
  readonly n: number;
  readonly distinct: number;
  /** For each visitor of the segments, one after the other, its position in the merged one, … */
  readonly visitors: Uint32Array;
  /** … where its rows begin there, … */
  readonly rows: Uint32Array;
  /** … and 1 where no segment before has it. */
  readonly isFirst: Uint8Array;
  readonly slices: readonly Slice[];
}

/**
 * Visitors of the merged segment that stand together, and where each segment has them. One that has
 * more rows than a slice should have is alone in its own.
 */
export interface Slice {
  readonly visitor: number;
  readonly visitors: number;
  readonly row: number;
  readonly rows: number;
  readonly stretches: readonly Stretch[];
}

export interface Stretch {
  /** Of the segment. */
  readonly place: number;
  /** Visitors of the segment, of which the first is number `offset` of all segments together. */
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

/** Where everything goes when the segments become one. */
export function mergeOf(segments: readonly Segment[]): Merge {
  const { places, numbers, distinct } = visitorOrder(segments.map(({ visitors }) => visitors));
  const offsets = offsetsOf(segments);
  const rows = rowCounts(segments, places.length);
  const visitors = new Uint32Array(places.length);
  const isFirst = new Uint8Array(places.length);
  const starts: SliceStart[] = [];
  let n = 0;
  let before = 0;
  let own = 0;
  let slice: SliceStart = { visitor: -1, row: -ROWS_AT_ONCE };
  const begin = (visitor: number, row: number): void => {
    slice = { visitor, row };
    starts.push(slice);
  };
  for (let entry = 0; entry < places.length; entry += 1) {
    const place = places[entry] ?? 0;
    const visitor = numbers[entry] ?? 0;
    const count = rows[place] ?? 0;
    visitors[place] = visitor - 1;
    rows[place] = n;
    if (visitor !== before) {
      isFirst[place] = 1;
      own = n;
      if (n - slice.row >= ROWS_AT_ONCE) begin(visitor - 1, n);
    }
    before = visitor;
    n += count;
    if (n - own > ROWS_AT_ONCE && slice.visitor < visitor - 1) begin(visitor - 1, own);
  }
  const slices = starts.map((start, i) =>
    sliceOf(start, starts[i + 1] ?? { visitor: distinct, row: n }, visitors, offsets),
  );
  return { segments, n, distinct, visitors, rows, isFirst, slices };
}

/** Visitor and row of the merged segment. */
type SliceStart = Pick<Slice, 'visitor' | 'row'>;

/** Where the visitors of each segment begin when they stand one after the other, and the end. */
function offsetsOf(segments: readonly Segment[]): number[] {
  const offsets = [0];
  for (const { visitorRows } of segments) {
    offsets.push((offsets.at(-1) ?? 0) + visitorRows.length - 1);
  }
  return offsets;
}

/** How many rows each visitor of each segment has. */
function rowCounts(segments: readonly Segment[], visitors: number): Uint32Array {
  const counts = new Uint32Array(visitors);
  let next = 0;
  for (const { visitorRows } of segments) {
    for (let at = 1; at < visitorRows.length; at += 1) {
      counts[next++] = (visitorRows[at] ?? 0) - (visitorRows[at - 1] ?? 0);
    }
  }
  return counts;
}

function sliceOf(
  { visitor, row }: SliceStart,
  end: SliceStart,
  visitors: Uint32Array,
  offsets: readonly number[],
): Slice {
  const stretches: Stretch[] = [];
  for (let place = 0; place + 1 < offsets.length; place += 1) {
    const [offset, next] = [offsets[place] ?? 0, offsets[place + 1] ?? 0];
    const from = firstFrom(visitors, offset, next, visitor);
    const to = firstFrom(visitors, from, next, end.visitor);
    if (to > from) {
      stretches.push({ place, from: from - offset, to: to - offset, offset: from });
    }
  }
  return { visitor, visitors: end.visitor - visitor, row, rows: end.row - row, stretches };
}

/** Where the numbers, which ascend there, are that large or larger. */
function firstFrom(numbers: Uint32Array, from: number, to: number, number: number): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}
