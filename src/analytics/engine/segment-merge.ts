import {
  capacityOf,
  type NarrowNumbers,
  narrowNumbers,
} from '../../clicks/store/codec/narrow-numbers';
import { VISITOR_WORDS, visitorOrder } from '../../clicks/store/codec/visitor-order';
import {
  mapColumns,
  renumbered,
  type Segment,
  type SegmentColumn,
  type SegmentTimes,
} from './segment';
import type { InternedColumn } from './string-interner';

/** Where the visitors and rows of several segments come to stand in a merged one. */
interface Merge {
  readonly parts: readonly Part[];
  readonly n: number;
  readonly distinct: number;
}

/** A segment, and for each of its visitors … */
interface Part {
  readonly segment: Segment;
  /** … its position in the merged one, … */
  readonly visitors: Uint32Array;
  /** … where its rows begin there, … */
  readonly rows: Uint32Array;
  /** … and 1 where no segment before this one has it. */
  readonly isFirst: Uint8Array;
}

/** Several segments as one: counting one is much quicker than counting many side by side. */
export function mergeSegments(segments: readonly Segment[]): Segment {
  const [only] = segments;
  if (only === undefined) return EMPTY;
  if (segments.length === 1) return only;
  const merge = mergeOf(segments);
  const names = Object.keys(only.columns) as InternedColumn[];
  const columnOf = (of: (segment: Segment) => SegmentColumn | undefined): SegmentColumn =>
    mergeColumns(
      merge,
      segments.map((segment) => of(segment) ?? missing()),
    );
  return {
    n: merge.n,
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

/** Each part is then gone through from its first row to its last, column by column. */
function mergeOf(segments: readonly Segment[]): Merge {
  const { list, index, number, distinct } = visitorOrder(segments.map(({ visitors }) => visitors));
  const parts = segments.map((segment): Part => {
    const count = segment.visitorRows.length - 1;
    const [visitors, rows] = [new Uint32Array(count), new Uint32Array(count)];
    return { segment, visitors, rows, isFirst: new Uint8Array(count) };
  });
  let n = 0;
  let before = 0;
  for (let entry = 0; entry < list.length; entry += 1) {
    const { segment, visitors, rows, isFirst } = parts[list[entry] ?? 0] ?? missing();
    const at = index[entry] ?? 0;
    const visitor = number[entry] ?? 0;
    visitors[at] = visitor - 1;
    rows[at] = n;
    if (visitor !== before) isFirst[at] = 1;
    before = visitor;
    n += (segment.visitorRows[at + 1] ?? 0) - (segment.visitorRows[at] ?? 0);
  }
  return { parts, n, distinct };
}

function mergeVisitors({ parts, n, distinct }: Merge): Pick<Segment, 'visitors' | 'visitorRows'> {
  const words = new Uint32Array(distinct * VISITOR_WORDS);
  const visitorRows = new Uint32Array(distinct + 1);
  visitorRows[distinct] = n;
  for (const { segment, visitors, rows, isFirst } of parts) {
    for (let at = 0; at < visitors.length; at += 1) {
      if (isFirst[at] === 0) continue;
      const to = visitors[at] ?? 0;
      visitorRows[to] = rows[at] ?? 0;
      for (let word = 0; word < VISITOR_WORDS; word += 1) {
        words[to * VISITOR_WORDS + word] = segment.visitors[at * VISITOR_WORDS + word] ?? 0;
      }
    }
  }
  return { visitors: words, visitorRows };
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

/**
 * One number a visitor; null when a visitor has different ones in two segments. The segment that has
 * a visitor first comes before all others that have it.
 */
function oneEach(
  { parts, distinct }: Merge,
  columns: readonly SegmentColumn[],
): NarrowNumbers | null {
  const into = widest(columns, distinct);
  for (const [place, { visitors, isFirst }] of parts.entries()) {
    const { ids } = columns[place] ?? missing();
    for (let at = 0; at < visitors.length; at += 1) {
      const visitor = visitors[at] ?? 0;
      const id = ids[at] ?? 0;
      if (isFirst[at] === 1) into[visitor] = id;
      else if (into[visitor] !== id) return null;
    }
  }
  return into;
}

function rowsOf(
  { parts, n }: Merge,
  columns: readonly SegmentColumn[],
): { ids: NarrowNumbers; perVisitor: false } {
  const into = widest(columns, n);
  for (const [place, { segment, rows }] of parts.entries()) {
    const { visitorRows } = segment;
    const { ids, perVisitor } = columns[place] ?? missing();
    if (perVisitor) spread(ids, visitorRows, rows, into);
    else copy(ids, visitorRows, rows, into);
  }
  return { ids: into, perVisitor: false };
}

/** Rows of a visitor stand together in both. */
function copy(
  ids: NarrowNumbers,
  visitorRows: Uint32Array,
  rows: Uint32Array,
  into: NarrowNumbers,
): void {
  let row = 0;
  for (let at = 0; at < rows.length; at += 1) {
    const end = visitorRows[at + 1] ?? 0;
    for (let to = rows[at] ?? 0; row < end; row += 1, to += 1) into[to] = ids[row] ?? 0;
  }
}

/** The one number of a visitor for all its rows. */
function spread(
  ids: NarrowNumbers,
  visitorRows: Uint32Array,
  rows: Uint32Array,
  into: NarrowNumbers,
): void {
  for (let at = 0; at < rows.length; at += 1) {
    const to = rows[at] ?? 0;
    into.fill(ids[at] ?? 0, to, to + (visitorRows[at + 1] ?? 0) - (visitorRows[at] ?? 0));
  }
}

function mergeTimes({ parts, n }: Merge): SegmentTimes {
  const times = parts.map(({ segment: { at } }) => at ?? missing());
  const base = Math.min(...times.map((part) => part.base));
  const most = largestOffset(times, base);
  const low = new Uint32Array(n);
  const high = most < 2 ** 32 ? null : narrowNumbers(n, Math.floor(most / 2 ** 32));
  for (const [place, { segment, rows }] of parts.entries()) {
    const part = times[place] ?? missing();
    const shift = part.base - base;
    const { visitorRows } = segment;
    let row = 0;
    for (let at = 0; at < rows.length; at += 1) {
      const end = visitorRows[at + 1] ?? 0;
      for (let to = rows[at] ?? 0; row < end; row += 1, to += 1) {
        if (high === null) low[to] = (part.low[row] ?? 0) + shift;
        else {
          const offset = shift + (part.low[row] ?? 0) + (part.high?.[row] ?? 0) * 2 ** 32;
          high[to] = Math.floor(offset / 2 ** 32);
          low[to] = offset % 2 ** 32;
        }
      }
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
