import {
  capacityOf,
  type NarrowNumbers,
  narrowNumbers,
} from '../../clicks/store/codec/narrow-numbers';
import {
  type VisitorOrder,
  VISITOR_WORDS,
  visitorOrder,
} from '../../clicks/store/codec/visitor-order';
import {
  mapColumns,
  renumbered,
  type Segment,
  type SegmentColumn,
  type SegmentTimes,
} from './segment';
import type { InternedColumn } from './string-interner';

/** Where the rows of several segments come to stand in a merged one. */
interface Merge {
  readonly segments: readonly Segment[];
  readonly order: VisitorOrder;
  readonly n: number;
}

/** Several segments as one: counting one is much quicker than counting many side by side. */
export function mergeSegments(segments: readonly Segment[]): Segment {
  const [only] = segments;
  if (only === undefined) return EMPTY;
  if (segments.length === 1) return only;
  const order = visitorOrder(segments.map(({ visitors }) => visitors));
  const n = segments.reduce((sum, segment) => sum + segment.n, 0);
  const merge: Merge = { segments, order, n };
  const names = Object.keys(only.columns) as InternedColumn[];
  const columnOf = (of: (segment: Segment) => SegmentColumn | undefined): SegmentColumn =>
    mergeColumns(
      merge,
      segments.map((segment) => of(segment) ?? missing()),
    );
  return {
    n,
    ...mergeVisitors(merge),
    sources: columnOf(({ sources }) => sources),
    at: only.at === null ? null : mergeTimes(merge),
    redirectMs: only.redirectMs === null ? null : rowsOf(merge, redirectColumns(segments)).ids,
    columns: Object.fromEntries(
      names.map((name) => [name, columnOf(({ columns }) => columns[name])]),
    ),
  };
}

const EMPTY: Segment = {
  n: 0,
  visitors: new Uint32Array(),
  visitorRows: new Uint32Array(1),
  sources: { ids: new Uint8Array(), perVisitor: true },
  at: null,
  redirectMs: null,
  columns: {},
};

function missing(): never {
  throw new RangeError('Segments of one source have the same columns');
}

function redirectColumns(segments: readonly Segment[]): SegmentColumn[] {
  return segments.map(({ redirectMs }) => ({ ids: redirectMs ?? missing(), perVisitor: false }));
}

function mergeVisitors({ segments, order }: Merge): Pick<Segment, 'visitors' | 'visitorRows'> {
  const { list, index, number, distinct } = order;
  const visitors = new Uint32Array(distinct * VISITOR_WORDS);
  const visitorRows = new Uint32Array(distinct + 1);
  for (let entry = 0; entry < list.length; entry += 1) {
    const segment = segments[list[entry] ?? 0];
    if (segment === undefined) continue;
    const at = index[entry] ?? 0;
    const to = number[entry] ?? 0;
    for (let word = 0; word < VISITOR_WORDS; word += 1) {
      visitors[(to - 1) * VISITOR_WORDS + word] = segment.visitors[at * VISITOR_WORDS + word] ?? 0;
    }
    const rows = (segment.visitorRows[at + 1] ?? 0) - (segment.visitorRows[at] ?? 0);
    visitorRows[to] = (visitorRows[to] ?? 0) + rows;
  }
  for (let visitor = 1; visitor < visitorRows.length; visitor += 1) {
    visitorRows[visitor] = (visitorRows[visitor] ?? 0) + (visitorRows[visitor - 1] ?? 0);
  }
  return { visitors, visitorRows };
}

function mergeColumns(merge: Merge, columns: readonly SegmentColumn[]): SegmentColumn {
  if (columns.every(({ perVisitor }) => perVisitor)) {
    const ids = oneEach(merge, columns);
    if (ids !== null) return { ids, perVisitor: true };
  }
  return rowsOf(merge, columns);
}

function widest(columns: readonly SegmentColumn[], length: number): NarrowNumbers {
  return narrowNumbers(length, Math.max(...columns.map(({ ids }) => capacityOf(ids))));
}

/** One number a visitor; null when a visitor has different ones in two segments. */
function oneEach({ order }: Merge, columns: readonly SegmentColumn[]): NarrowNumbers | null {
  const { list, index, number, distinct } = order;
  const into = widest(columns, distinct);
  let before = 0;
  for (let entry = 0; entry < list.length; entry += 1) {
    const value = columns[list[entry] ?? 0]?.ids[index[entry] ?? 0] ?? 0;
    const visitor = number[entry] ?? 0;
    if (visitor === before && into[visitor - 1] !== value) return null;
    into[visitor - 1] = value;
    before = visitor;
  }
  return into;
}

function rowsOf(
  { segments, order, n }: Merge,
  columns: readonly SegmentColumn[],
): { ids: NarrowNumbers; perVisitor: false } {
  const { list, index } = order;
  const into = widest(columns, n);
  let next = 0;
  for (let entry = 0; entry < list.length; entry += 1) {
    const { visitorRows } = segments[list[entry] ?? 0] ?? missing();
    const { ids, perVisitor } = columns[list[entry] ?? 0] ?? missing();
    const visitor = index[entry] ?? 0;
    const end = visitorRows[visitor + 1] ?? 0;
    let row = visitorRows[visitor] ?? 0;
    if (perVisitor) {
      const value = ids[visitor] ?? 0;
      for (; row < end; row += 1) into[next++] = value;
    } else {
      for (; row < end; row += 1) into[next++] = ids[row] ?? 0;
    }
  }
  return { ids: into, perVisitor: false };
}

function mergeTimes({ segments, order, n }: Merge): SegmentTimes {
  const times = segments.map(({ at }) => at ?? missing());
  const base = Math.min(...times.map((part) => part.base));
  const most = largestOffset(times, base);
  const low = new Uint32Array(n);
  const high = most < 2 ** 32 ? null : narrowNumbers(n, Math.floor(most / 2 ** 32));
  const { list, index } = order;
  let next = 0;
  for (let entry = 0; entry < list.length; entry += 1) {
    const part = times[list[entry] ?? 0] ?? missing();
    const { visitorRows } = segments[list[entry] ?? 0] ?? missing();
    const visitor = index[entry] ?? 0;
    const end = visitorRows[visitor + 1] ?? 0;
    const shift = part.base - base;
    for (let row = visitorRows[visitor] ?? 0; row < end; row += 1) {
      if (high === null) low[next] = (part.low[row] ?? 0) + shift;
      else {
        const offset = shift + (part.low[row] ?? 0) + (part.high?.[row] ?? 0) * 2 ** 32;
        high[next] = Math.floor(offset / 2 ** 32);
        low[next] = offset % 2 ** 32;
      }
      next += 1;
    }
  }
  return { base, low, high };
}

function largestOffset(times: readonly SegmentTimes[], base: number): number {
  let most = 0;
  for (const { base: own, low, high } of times) {
    for (let row = 0; row < low.length; row += 1) {
      const offset = own - base + (low[row] ?? 0) + (high?.[row] ?? 0) * 2 ** 32;
      if (offset > most) most = offset;
    }
  }
  return most;
}

/** Without the rows of some sources; the numbers of the others become those in `numbers`. */
export function keepSources(segment: Segment, kept: Uint8Array, numbers: Uint32Array): Segment {
  const { visitors, visitorRows, sources, at, redirectMs } = segment;
  const count = visitorRows.length - 1;
  const rows = new Uint32Array(segment.n);
  const visitorsKept = new Uint32Array(count);
  const starts = new Uint32Array(count + 1);
  let n = 0;
  let distinct = 0;
  for (let visitor = 0; visitor < count; visitor += 1) {
    const before = n;
    const end = visitorRows[visitor + 1] ?? 0;
    for (let row = visitorRows[visitor] ?? 0; row < end; row += 1) {
      const source = sources.ids[sources.perVisitor ? visitor : row] ?? 0;
      if (kept[source] === 1) rows[n++] = row;
    }
    if (n === before) continue;
    visitorsKept[distinct++] = visitor;
    starts[distinct] = n;
  }
  const pick = <T extends NarrowNumbers>(from: T, places: Uint32Array, length: number): T => {
    const into = from.slice(0, length) as T;
    for (let i = 0; i < length; i += 1) into[i] = from[places[i] ?? 0] ?? 0;
    return into;
  };
  const column = ({ ids, perVisitor }: SegmentColumn): SegmentColumn => ({
    ids: perVisitor ? pick(ids, visitorsKept, distinct) : pick(ids, rows, n),
    perVisitor,
  });
  const words = new Uint32Array(distinct * VISITOR_WORDS);
  for (let i = 0; i < distinct; i += 1) {
    const first = (visitorsKept[i] ?? 0) * VISITOR_WORDS;
    words.set(visitors.subarray(first, first + VISITOR_WORDS), i * VISITOR_WORDS);
  }
  return {
    n,
    visitors: words,
    visitorRows: starts.slice(0, distinct + 1),
    sources: renumberedColumn(column(sources), numbers),
    at: at && { ...at, low: pick(at.low, rows, n), high: at.high && pick(at.high, rows, n) },
    redirectMs: redirectMs && pick(redirectMs, rows, n),
    columns: mapColumns(segment.columns, column),
  };
}

/** A column under new numbers. */
export function renumberedColumn(
  { ids, perVisitor }: SegmentColumn,
  numbers: Uint32Array,
): SegmentColumn {
  return { ids: renumbered(ids, numbers), perVisitor };
}
