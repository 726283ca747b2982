import type { Segment, SegmentTimes } from '../reading/segment';
import { columnNotRead, type SelectedRows, segmentTimes, type VisitorSpan } from './counting-loops';
import type { CountingQuestion } from './counting-question';

/** Filters that decide, per visitor and per row, which of a segment's rows to count. */
interface Checks {
  readonly perVisitor: ((visitor: number) => boolean)[];
  readonly perRow: ((row: number, visitor: number) => boolean)[];
}

const SELECTED_AT_ONCE = 1 << 17;

/** Selects the rows of a segment that are in the range and pass the filters. */
export class RowSelector {
  private readonly checks = new WeakMap<Segment, Checks>();

  constructor(private readonly question: Pick<CountingQuestion, 'range' | 'filters' | 'passing'>) {}

  select({ segment, from, to, offset }: VisitorSpan): SelectedRows {
    const { visitorRows } = segment;
    const most = (visitorRows[to] ?? 0) - (visitorRows[from] ?? 0);
    const selection = most <= SELECTED_AT_ONCE ? shared : emptySelection(most, to - from);
    const { rows, places, numbers, starts } = selection;
    const { perVisitor, perRow } = this.segmentChecks(segment);
    const { range } = this.question;
    const { base, low, high } = range === null ? NO_TIMES : segmentTimes(segment);
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
      numbers[visitors] = visitor + offset;
      visitors += 1;
      starts[visitors] = count;
    }
    selection.count = count;
    selection.visitors = visitors;
    return selection;
  }

  private segmentChecks(segment: Segment): Checks {
    const known = this.checks.get(segment);
    if (known !== undefined) return known;
    const perVisitor: Checks['perVisitor'] = [];
    const perRow: Checks['perRow'] = [];
    const { passing: sources } = this.question;
    if (sources !== null) {
      const { ids, perVisitor: isOfVisitor } = segment.sources;
      if (isOfVisitor) perVisitor.push((visitor) => sources[ids[visitor] ?? 0] === 1);
      else perRow.push((row) => sources[ids[row] ?? 0] === 1);
    }
    for (const { name, passing, codes } of this.question.filters) {
      const column = segment.columns[name] ?? columnNotRead(name);
      const codeColumn =
        codes === null ? null : (segment.columns.country_code ?? columnNotRead(name));
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
}

function emptySelection(rows: number, visitors: number): SelectedRows {
  return {
    rows: new Uint32Array(rows),
    starts: new Uint32Array(visitors + 1),
    places: new Uint32Array(visitors),
    numbers: new Uint32Array(visitors),
    count: 0,
    visitors: 0,
  };
}

/** Buffer of 2 MB shared by all of a thread's counters; a visitor with more rows gets another. */
const shared = emptySelection(SELECTED_AT_ONCE, SELECTED_AT_ONCE);

const NO_TIMES: SegmentTimes = { base: 0, span: 0, low: new Uint32Array(), high: null };

export function* splitSpan(span: VisitorSpan): Generator<VisitorSpan> {
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
