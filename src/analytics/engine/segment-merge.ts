import {
  capacityOf,
  type NarrowNumbers,
  narrowNumbers,
} from '../../clicks/store/codec/narrow-numbers';
import { VISITOR_WORDS } from '../../clicks/store/codec/visitor-order';
import { type Merge, mergeOf, type Slice } from './merge-order';
import { highParts, type Segment, type SegmentColumn, type SegmentTimes } from './segment';
import type { InternedColumn } from './string-interner';

/** Several segments as one: counting one is much quicker than counting many side by side. */
export function mergeSegments(segments: readonly Segment[]): Segment {
  const [only] = segments;
  if (only === undefined) return EMPTY;
  if (segments.length === 1) return only;
  const merge = mergeOf(segments);
  const names = Object.keys(only.columns) as InternedColumn[];
  const rows = new RowColumns(merge);
  const columnOf = (of: (segment: Segment) => SegmentColumn | undefined): SegmentColumn => {
    const columns = segments.map((segment) => of(segment) ?? missing());
    const ids = columns.every(({ perVisitor }) => perVisitor) ? oneEach(merge, columns) : null;
    return ids === null ? { ids: rows.add(columns), perVisitor: false } : { ids, perVisitor: true };
  };
  const merged = {
    n: merge.n,
    ...mergeVisitors(merge),
    sources: columnOf(({ sources }) => sources),
    at: only.at === null ? null : mergeTimes(merge, rows),
    redirectMs: only.redirectMs === null ? null : rows.add(redirectColumns(segments)),
    columns: Object.fromEntries(
      names.map((name) => [name, columnOf(({ columns }) => columns[name])]),
    ),
  };
  rows.fill();
  return merged;
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

function mergeVisitors(merge: Merge): Pick<Segment, 'visitors' | 'visitorRows'> {
  const { segments, n, distinct, visitors, rows, isFirst, slices } = merge;
  const words = new Uint32Array(distinct * VISITOR_WORDS);
  const visitorRows = new Uint32Array(distinct + 1);
  visitorRows[distinct] = n;
  for (const { stretches } of slices) {
    for (const { place, from, to, offset } of stretches) {
      const own = (segments[place] ?? missing()).visitors;
      for (let at = from; at < to; at += 1) {
        const entry = offset + at - from;
        if (isFirst[entry] === 0) continue;
        const visitor = visitors[entry] ?? 0;
        visitorRows[visitor] = rows[entry] ?? 0;
        for (let word = 0; word < VISITOR_WORDS; word += 1) {
          words[visitor * VISITOR_WORDS + word] = own[at * VISITOR_WORDS + word] ?? 0;
        }
      }
    }
  }
  return { visitors: words, visitorRows };
}

function widest(columns: readonly SegmentColumn[], length: number): NarrowNumbers {
  return narrowNumbers(length, Math.max(...columns.map(({ ids }) => capacityOf(ids))));
}

/**
 * One number a visitor; null when a visitor has different ones in two segments. The segment that has
 * a visitor first comes before all others that have it.
 */
function oneEach(merge: Merge, columns: readonly SegmentColumn[]): NarrowNumbers | null {
  const { distinct, visitors, isFirst, slices } = merge;
  let differences = 0;
  const into = widest(columns, distinct);
  const [wide, slice] = [new WideNumbers(), new WideNumbers()];
  for (const { visitor, visitors: count, stretches } of slices) {
    const merged = slice.room(count);
    for (const { place, from, to, offset } of stretches) {
      const ids = wide.of((columns[place] ?? missing()).ids, from, to);
      for (let i = 0; i < to - from; i += 1) {
        const at = (visitors[offset + i] ?? 0) - visitor;
        const id = ids[i] ?? 0;
        // Without a branch: whether it is the first one cannot be foretold.
        differences |= ((merged[at] ?? 0) ^ id) & ((isFirst[offset + i] ?? 0) - 1);
        merged[at] = id;
      }
      if (differences !== 0) return null;
    }
    into.set(merged.subarray(0, count), visitor);
  }
  return into;
}

/** A column with a number a row, or a visitor; `plus` is added to all numbers of a segment. */
interface RowColumn {
  readonly parts: readonly (SegmentColumn & { readonly plus: number })[];
  readonly into: NarrowNumbers;
}

/** Columns of the merged segment with a number a row, which are filled together. */
class RowColumns {
  private readonly columns: RowColumn[] = [];
  private readonly wide = new WideNumbers();
  private readonly slice = new WideNumbers();
  private readonly targets = new WideNumbers();

  constructor(private readonly merge: Merge) {}

  /** Answers the column, which is empty until all are filled. */
  add(columns: readonly SegmentColumn[]): NarrowNumbers {
    const into = widest(columns, this.merge.n);
    this.columns.push({ parts: columns.map((column) => ({ ...column, plus: 0 })), into });
    return into;
  }

  addTimes(parts: readonly { readonly ids: Uint32Array; readonly plus: number }[]): Uint32Array {
    const into = new Uint32Array(this.merge.n);
    this.columns.push({ parts: parts.map((part) => ({ ...part, perVisitor: false })), into });
    return into;
  }

  fill(): void {
    if (this.columns.length === 0) return;
    const { segments } = this.merge;
    for (const slice of this.merge.slices) {
      if (slice.visitors === 1) {
        this.fillOne(slice);
        continue;
      }
      const targets = this.targetsOf(slice);
      const merged = this.slice.room(slice.rows);
      for (const { parts, into } of this.columns) {
        let next = 0;
        for (const { place, from, to } of slice.stretches) {
          const { visitorRows } = segments[place] ?? missing();
          const { ids, perVisitor, plus } = parts[place] ?? missing();
          const [first, end] = [visitorRows[from] ?? 0, visitorRows[to] ?? 0];
          if (perVisitor) {
            const numbers = this.wide.of(ids, from, to);
            spread(numbers, visitorRows, from, to, targets, next, merged);
          } else {
            const numbers = this.wide.of(ids, first, end);
            scatter(numbers, end - first, plus, targets, next, merged);
          }
          next += end - first;
        }
        into.set(merged.subarray(0, slice.rows), slice.row);
      }
    }
  }

  /** Of one visitor the rows of a segment stand together in both: they are copied as they are. */
  private fillOne({ stretches }: Slice): void {
    const { segments, rows } = this.merge;
    for (const { place, from, offset } of stretches) {
      const { visitorRows } = segments[place] ?? missing();
      const [first, end] = [visitorRows[from] ?? 0, visitorRows[from + 1] ?? 0];
      const target = rows[offset] ?? 0;
      for (const { parts, into } of this.columns) {
        const { ids, perVisitor, plus } = parts[place] ?? missing();
        if (perVisitor) into.fill(ids[from] ?? 0, target, target + end - first);
        else into.set(ids.subarray(first, end), target);
        if (plus === 0) continue;
        for (let row = target; row < target + end - first; row += 1) {
          into[row] = (into[row] ?? 0) + plus;
        }
      }
    }
  }

  /** Where each row of a slice goes, stretch by stretch. */
  private targetsOf({ row, rows: count, stretches }: Slice): Uint32Array {
    const { segments, rows } = this.merge;
    const targets = this.targets.room(count);
    let next = 0;
    for (const { place, from, to, offset } of stretches) {
      const { visitorRows } = segments[place] ?? missing();
      for (let at = from; at < to; at += 1) {
        let target = (rows[offset + at - from] ?? 0) - row;
        const end = next + (visitorRows[at + 1] ?? 0) - (visitorRows[at] ?? 0);
        for (; next < end; next += 1, target += 1) targets[next] = target;
      }
    }
    return targets;
  }
}

function scatter(
  numbers: Uint32Array,
  count: number,
  plus: number,
  targets: Uint32Array,
  first: number,
  into: Uint32Array,
): void {
  for (let i = 0; i < count; i += 1) into[targets[first + i] ?? 0] = (numbers[i] ?? 0) + plus;
}

/** The one number of each visitor for all its rows. */
function spread(
  numbers: Uint32Array,
  visitorRows: Uint32Array,
  from: number,
  to: number,
  targets: Uint32Array,
  first: number,
  into: Uint32Array,
): void {
  let next = first;
  for (let at = from; at < to; at += 1) {
    const number = numbers[at - from] ?? 0;
    const end = next + (visitorRows[at + 1] ?? 0) - (visitorRows[at] ?? 0);
    for (; next < end; next += 1) into[targets[next] ?? 0] = number;
  }
}

/** Numbers in one width, whatever theirs is: a loop over arrays of several kinds is much slower. */
class WideNumbers {
  private numbers = new Uint32Array(1024);

  /** A copy of some, from the beginning on, until the next one. */
  of(ids: NarrowNumbers, from: number, to: number): Uint32Array {
    const numbers = this.room(to - from);
    numbers.set(ids.subarray(from, to));
    return numbers;
  }

  room(length: number): Uint32Array {
    if (this.numbers.length < length) this.numbers = new Uint32Array(length * 2);
    return this.numbers;
  }
}

function mergeTimes(merge: Merge, columns: RowColumns): SegmentTimes {
  const times = merge.segments.map(({ at }) => at ?? missing());
  const base = Math.min(...times.map((part) => part.base));
  const span = Math.max(...times.map((part) => part.base + part.span)) - base;
  const high = highParts(merge.n, span);
  if (high === null) {
    const low = columns.addTimes(times.map((part) => ({ ids: part.low, plus: part.base - base })));
    return { base, span, low, high };
  }
  const wide = { base, span, low: new Uint32Array(merge.n), high };
  mergeWideTimes(merge, times, wide);
  return wide;
}

/** Of rows that span 50 days and more. */
function mergeWideTimes(
  { segments, rows, slices }: Merge,
  times: readonly SegmentTimes[],
  { base, low, high }: SegmentTimes & { high: NarrowNumbers },
): void {
  for (const { place, from, to, offset } of slices.flatMap(({ stretches }) => stretches)) {
    const { visitorRows } = segments[place] ?? missing();
    const part = times[place] ?? missing();
    const shift = part.base - base;
    let row = visitorRows[from] ?? 0;
    for (let at = from; at < to; at += 1) {
      const end = visitorRows[at + 1] ?? 0;
      for (let into = rows[offset + at - from] ?? 0; row < end; row += 1, into += 1) {
        const time = shift + (part.low[row] ?? 0) + (part.high?.[row] ?? 0) * 2 ** 32;
        high[into] = Math.floor(time / 2 ** 32);
        low[into] = time % 2 ** 32;
      }
    }
  }
}
