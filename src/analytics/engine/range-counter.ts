import { Cancellation } from './cancellation';
import type { CountedList, CountingQuestion, PartialCount } from './counting-question';
import type { DistinctVisitors } from './distinct-visitors';
import type { Segment, SegmentColumn, SegmentTimes } from './segment';

/** Visitors of a segment, `from` up to, not including, `to`. */
export interface VisitorSpan {
  readonly segment: Segment;
  readonly from: number;
  readonly to: number;
  /** Number of visitor `v` is `v + offset`, from 1, … */
  readonly offset: number;
  /** … or what stands here at `v`. */
  readonly numbers: Uint32Array | null;
}

interface List {
  counted: CountedList;
  clicks: Uint32Array;
  visitors: Uint32Array;
  readonly distinct: DistinctVisitors;
}

/** The rows of a span that pass, by the visitors that have any. */
interface Selection {
  readonly rows: Uint32Array;
  /** Those of visitor `v` of these are `rows[starts[v]]` up to, not including, `rows[starts[v + 1]]`. */
  readonly starts: Uint32Array;
  /** Positions of the visitors in their segment. */
  readonly places: Uint32Array;
  readonly numbers: Uint32Array;
  /** How many of them are in use: there may be hundreds of thousands of short spans. */
  count: number;
  visitors: number;
}

/** What has to be looked at of a segment to know which of its rows pass. */
interface Checks {
  readonly perVisitor: ((visitor: number) => boolean)[];
  readonly perRow: ((row: number, visitor: number) => boolean)[];
}

/** Rows that are selected at a time. */
const SELECTED_AT_ONCE = 1 << 17;

/**
 * Counts the rows of segments: exact, whatever the order in which visitors come, as long as
 * `distinct` can tell whether a value has met one before.
 */
export class RangeCounter {
  private readonly lists: List[];
  private readonly visitors: DistinctVisitors;
  private checks = new WeakMap<Segment, Checks>();
  private readonly summary: Omit<PartialCount, 'lists'> = {
    ...{ clicks: 0, visitors: 0, redirectMs: 0, first: null, last: null },
  };

  constructor(
    private question: CountingQuestion,
    distinct: (values: number) => DistinctVisitors,
    private readonly cancellation = new Cancellation(),
  ) {
    this.visitors = distinct(1);
    this.lists = question.lists.map((counted) => {
      const size = counted.by === 'time' ? counted.starts.length : counted.size;
      return {
        counted,
        clicks: new Uint32Array(size),
        visitors: new Uint32Array(size),
        distinct: distinct(size),
      };
    });
  }

  /** Spans in the order in which their visitors come. */
  add(spans: readonly VisitorSpan[]): void {
    if (this.question.range === null && this.question.filters.length === 0) {
      this.addWhole(spans);
      return;
    }
    for (const span of spans) {
      for (const part of partsOf(span)) {
        this.cancellation.check();
        this.addSelected(part);
      }
    }
  }

  /** The same question, with numbers that were given to values since. */
  renew(question: CountingQuestion): void {
    this.question = question;
    this.checks = new WeakMap();
    question.lists.forEach((counted, place) => {
      const list = this.lists[place];
      if (list === undefined || counted.by === 'time') return;
      list.counted = counted;
      list.clicks = grown(list.clicks, counted.size);
      list.visitors = grown(list.visitors, counted.size);
    });
  }

  result(): PartialCount {
    return {
      ...this.summary,
      lists: this.lists.map(({ clicks, visitors }) => ({ clicks, visitors })),
    };
  }

  /** Memory of the lists. */
  get bytes(): number {
    return this.lists.reduce((sum, { clicks }) => sum + 2 * clicks.byteLength, 0);
  }

  /** All rows pass: what is known of them without a look is known by whoever asks. */
  private addWhole(spans: readonly VisitorSpan[]): void {
    for (const span of spans) {
      const { visitorRows } = span.segment;
      this.summary.clicks += (visitorRows[span.to] ?? 0) - (visitorRows[span.from] ?? 0);
      this.summary.visitors += countVisitors(span, this.visitors);
    }
    for (const list of this.lists) {
      this.cancellation.check();
      for (const span of spans) this.countWhole(list, span);
    }
  }

  private countWhole(list: List, span: VisitorSpan): void {
    const { counted } = list;
    if (counted.by === 'time') countTimes(list, counted.starts, timesOf(span.segment), span);
    else {
      const column = columnOf(span.segment, counted);
      const numbers = counted.by === 'link' ? this.question.links : null;
      if (numbers !== null) countNumbered(list, column, numbers, span);
      else if (column.perVisitor) countVisitorColumn(list, column, span);
      else countRowColumn(list, column, span);
    }
  }

  private addSelected(span: VisitorSpan): void {
    const selected = this.select(span);
    if (selected.count === 0) return;
    this.summarise(span.segment, selected);
    for (const list of this.lists) {
      const { counted } = list;
      if (counted.by === 'time') {
        countSelectedTimes(list, counted.starts, timesOf(span.segment), selected);
        continue;
      }
      const column = columnOf(span.segment, counted);
      const links = counted.by === 'link' ? this.question.links : null;
      if (links !== null) countSelectedNumbered(list, column, links, selected);
      else if (column.perVisitor) countSelectedVisitors(list, column, selected);
      else countSelectedRows(list, column, selected);
    }
  }

  private select({ segment, from, to, offset, numbers }: VisitorSpan): Selection {
    const { visitorRows } = segment;
    const most = (visitorRows[to] ?? 0) - (visitorRows[from] ?? 0);
    const selection = most <= SELECTED_AT_ONCE ? shared : emptySelection(most, to - from);
    const { rows, places, numbers: numbered, starts } = selection;
    const { perVisitor, perRow } = this.checksOf(segment);
    const { range } = this.question;
    const { base, low, high } = range === null ? NO_TIMES : timesOf(segment);
    const [first, last] = range === null ? [0, 0] : [range.start - base, range.end - base];
    let count = 0;
    let visitors = 0;
    for (let visitor = from; visitor < to; visitor += 1) {
      if (!perVisitor.every((passes) => passes(visitor))) continue;
      const before = count;
      const end = visitorRows[visitor + 1] ?? 0;
      for (let row = visitorRows[visitor] ?? 0; row < end; row += 1) {
        if (range !== null) {
          const at = (low[row] ?? 0) + (high === null ? 0 : (high[row] ?? 0) * 2 ** 32);
          if (at < first || at > last) continue;
        }
        if (perRow.length > 0 && !perRow.every((passes) => passes(row, visitor))) continue;
        rows[count] = row;
        count += 1;
      }
      if (count === before) continue;
      places[visitors] = visitor;
      numbered[visitors] = numbers === null ? visitor + offset : (numbers[visitor] ?? 0);
      visitors += 1;
      starts[visitors] = count;
    }
    selection.count = count;
    selection.visitors = visitors;
    return selection;
  }

  /** What a visitor has to pass, and what each of its rows has to. */
  private checksOf(segment: Segment): Checks {
    const known = this.checks.get(segment);
    if (known !== undefined) return known;
    const perVisitor: Checks['perVisitor'] = [];
    const perRow: Checks['perRow'] = [];
    for (const { name, passing, codes } of this.question.filters) {
      const column = segment.columns[name] ?? missing(name);
      const codeColumn = codes === null ? null : (segment.columns.country_code ?? missing(name));
      if (column.perVisitor && codeColumn?.perVisitor !== false) {
        perVisitor.push((visitor) => {
          if (passing[column.ids[visitor] ?? 0] === 1) return true;
          return codes !== null && codes[codeColumn?.ids[visitor] ?? 0] === 1;
        });
      } else {
        perRow.push((row, visitor) => {
          if (passing[column.ids[column.perVisitor ? visitor : row] ?? 0] === 1) return true;
          const at = codeColumn?.perVisitor === true ? visitor : row;
          return codes !== null && codes[codeColumn?.ids[at] ?? 0] === 1;
        });
      }
    }
    const checks = { perVisitor, perRow };
    this.checks.set(segment, checks);
    return checks;
  }

  private summarise(segment: Segment, selection: Selection): void {
    const { summary, visitors } = this;
    const { rows, starts, places, numbers, count, visitors: selected } = selection;
    const { base, low, high } = timesOf(segment);
    const { redirectMs } = segment;
    let first = Infinity;
    let last = -Infinity;
    let lastRow = 0;
    for (let i = 0; i < count; i += 1) {
      const row = rows[i] ?? 0;
      const at = (low[row] ?? 0) + (high === null ? 0 : (high[row] ?? 0) * 2 ** 32);
      if (at < first) first = at;
      if (at > last) [last, lastRow] = [at, i];
      summary.redirectMs += redirectMs?.[row] ?? 0;
    }
    for (let i = 0; i < selected; i += 1) {
      if (visitors.isNew(0, numbers[i] ?? 0)) summary.visitors += 1;
    }
    summary.clicks += count;
    summary.first = Math.min(summary.first ?? Infinity, base + first);
    if (summary.last !== null && summary.last.at >= base + last) return;
    let visitor = 0;
    while ((starts[visitor + 1] ?? Infinity) <= lastRow) visitor += 1;
    const number = (name: 'browser' | 'os' | 'country'): number => {
      const { ids, perVisitor } = segment.columns[name] ?? missing(name);
      return ids[(perVisitor ? places[visitor] : rows[lastRow]) ?? 0] ?? 0;
    };
    const of = { browser: number('browser'), os: number('os'), country: number('country') };
    summary.last = { at: base + last, ...of };
  }
}

function emptySelection(rows: number, visitors: number): Selection {
  return {
    rows: new Uint32Array(rows),
    starts: new Uint32Array(visitors + 1),
    places: new Uint32Array(visitors),
    numbers: new Uint32Array(visitors),
    ...{ count: 0, visitors: 0 },
  };
}

/**
 * 2 MB for all counters of a thread: what is selected is used up before the next span is looked at.
 * A single visitor with more rows than that gets arrays of its own.
 */
const shared = emptySelection(SELECTED_AT_ONCE, SELECTED_AT_ONCE);

/** Of a question that asks for no times. */
const NO_TIMES: SegmentTimes = { base: 0, low: new Uint32Array(), high: null };

/** Twice as long as it was, or as long as it has to be. */
function grown(counts: Uint32Array, size: number): Uint32Array {
  if (size <= counts.length) return counts;
  const larger = new Uint32Array(Math.max(size, counts.length * 2));
  larger.set(counts);
  return larger;
}

function missing(name: string): never {
  throw new RangeError(`The column ${name} was not read`);
}

function timesOf({ at }: Segment): SegmentTimes {
  return at ?? missing('at');
}

function columnOf(
  segment: Segment,
  counted: CountedList & { by: 'link' | 'column' },
): SegmentColumn {
  if (counted.by === 'link') return segment.sources;
  return segment.columns[counted.name] ?? missing(counted.name);
}

/** A long span as several with not too many rows each. */
function* partsOf(span: VisitorSpan): Generator<VisitorSpan> {
  const { visitorRows } = span.segment;
  let from = span.from;
  while (from < span.to) {
    const limit = (visitorRows[from] ?? 0) + SELECTED_AT_ONCE;
    let to = from + 1;
    while (to < span.to && (visitorRows[to + 1] ?? 0) <= limit) to += 1;
    yield { ...span, from, to };
    from = to;
  }
}

function countVisitors(
  { from, to, offset, numbers }: VisitorSpan,
  distinct: DistinctVisitors,
): number {
  let count = 0;
  for (let visitor = from; visitor < to; visitor += 1) {
    const number = numbers === null ? visitor + offset : (numbers[visitor] ?? 0);
    if (distinct.isNew(0, number)) count += 1;
  }
  return count;
}

/** A visitor with one value is counted by one look, with the weight of all its rows. */
function countVisitorColumn(
  { clicks, visitors, distinct }: List,
  { ids }: SegmentColumn,
  { segment: { visitorRows }, from, to, offset, numbers }: VisitorSpan,
): void {
  for (let visitor = from; visitor < to; visitor += 1) {
    const value = ids[visitor] ?? 0;
    const number = numbers === null ? visitor + offset : (numbers[visitor] ?? 0);
    const rows = (visitorRows[visitor + 1] ?? 0) - (visitorRows[visitor] ?? 0);
    clicks[value] = (clicks[value] ?? 0) + rows;
    if (distinct.isNew(value, number)) visitors[value] = (visitors[value] ?? 0) + 1;
  }
}

function countRowColumn(
  { clicks, visitors, distinct }: List,
  { ids }: SegmentColumn,
  { segment: { visitorRows }, from, to, offset, numbers }: VisitorSpan,
): void {
  let row = visitorRows[from] ?? 0;
  for (let visitor = from; visitor < to; visitor += 1) {
    const number = numbers === null ? visitor + offset : (numbers[visitor] ?? 0);
    const end = visitorRows[visitor + 1] ?? 0;
    for (; row < end; row += 1) {
      const value = ids[row] ?? 0;
      clicks[value] = (clicks[value] ?? 0) + 1;
      if (distinct.isNew(value, number)) visitors[value] = (visitors[value] ?? 0) + 1;
    }
  }
}

/** By what the numbers of a column stand for. */
function countNumbered(
  { clicks, visitors, distinct }: List,
  { ids, perVisitor }: SegmentColumn,
  meant: Uint32Array,
  { segment: { visitorRows }, from, to, offset, numbers }: VisitorSpan,
): void {
  let row = visitorRows[from] ?? 0;
  for (let visitor = from; visitor < to; visitor += 1) {
    const number = numbers === null ? visitor + offset : (numbers[visitor] ?? 0);
    const end = visitorRows[visitor + 1] ?? 0;
    for (; row < end; row += 1) {
      const value = meant[ids[perVisitor ? visitor : row] ?? 0] ?? 0;
      clicks[value] = (clicks[value] ?? 0) + 1;
      if (distinct.isNew(value, number)) visitors[value] = (visitors[value] ?? 0) + 1;
    }
  }
}

/** Buckets have nearly equal widths: a guess is at most a step or two away. */
function countTimes(
  { clicks, visitors, distinct }: List,
  starts: Float64Array,
  { base, low, high }: SegmentTimes,
  { segment: { visitorRows }, from, to, offset, numbers }: VisitorSpan,
): void {
  const { last, origin, perMs } = widthsOf(starts);
  let row = visitorRows[from] ?? 0;
  for (let visitor = from; visitor < to; visitor += 1) {
    const number = numbers === null ? visitor + offset : (numbers[visitor] ?? 0);
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

function widthsOf(starts: Float64Array): { last: number; origin: number; perMs: number } {
  const last = starts.length - 1;
  const origin = starts[0] ?? 0;
  return { last, origin, perMs: last > 0 ? last / ((starts[last] ?? 0) - origin) : 0 };
}

function countSelectedVisitors(
  { clicks, visitors, distinct }: List,
  { ids }: SegmentColumn,
  { starts, places, numbers, visitors: selected }: Selection,
): void {
  for (let visitor = 0; visitor < selected; visitor += 1) {
    const value = ids[places[visitor] ?? 0] ?? 0;
    const rows = (starts[visitor + 1] ?? 0) - (starts[visitor] ?? 0);
    clicks[value] = (clicks[value] ?? 0) + rows;
    if (distinct.isNew(value, numbers[visitor] ?? 0)) visitors[value] = (visitors[value] ?? 0) + 1;
  }
}

function countSelectedRows(
  { clicks, visitors, distinct }: List,
  { ids }: SegmentColumn,
  { rows, starts, numbers, visitors: selected }: Selection,
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

function countSelectedNumbered(
  { clicks, visitors, distinct }: List,
  { ids, perVisitor }: SegmentColumn,
  meant: Uint32Array,
  { rows, starts, places, numbers, visitors: selected }: Selection,
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

function countSelectedTimes(
  { clicks, visitors, distinct }: List,
  borders: Float64Array,
  { base, low, high }: SegmentTimes,
  { rows, starts, numbers, visitors: selected }: Selection,
): void {
  const { last, origin, perMs } = widthsOf(borders);
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
