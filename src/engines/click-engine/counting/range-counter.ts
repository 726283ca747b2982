import { NO_REDIRECT_MS } from '../chunk/click';
import { Cancellation } from '../query/statistics-query';
import {
  countedColumn,
  countMarks,
  countRowColumn,
  countSelectedMarks,
  countSelectedNumbered,
  countSelectedRows,
  countSelectedTimes,
  countSelectedVisitors,
  countNumbered,
  countTimes,
  countVisitorColumn,
  countVisitors,
  type List,
  columnNotRead,
  type SelectedRows,
  segmentTimes,
  type VisitorSpan,
} from './counting-loops';
import type { CountingQuestion, PartialCount } from './counting-question';
import { VISITOR_WORDS } from '../chunk/visitor-order';
import { DistinctVisitors } from './distinct-visitors';
import type { SourceMarks } from './source-marks';
import type { Segment } from '../reading/segment';
import { RowSelector, splitSpan } from './row-selector';

/** Counts segment rows exactly if all of a visitor's rows are adjacent. */
export class RangeCounter {
  private readonly lists: List[];
  private readonly visitors: DistinctVisitors;
  private readonly selector: RowSelector;
  private readonly summary: Omit<PartialCount, 'lists'> = {
    clicks: 0,
    visitors: 0,
    withoutVisitor: 0,
    redirectMs: 0,
    untimed: 0,
    first: null,
    last: null,
  };
  /** Counts the clicks without a visitor (NO_VISITOR). */
  private visitorless?: RangeCounter;

  constructor(
    private readonly question: CountingQuestion,
    private readonly cancellation = new Cancellation(),
  ) {
    this.selector = new RowSelector(question);
    this.visitors = new DistinctVisitors(1);
    this.lists = question.lists.map((counted) => {
      const size = counted.by === 'time' ? counted.starts.length : counted.size;
      return {
        counted,
        clicks: new Uint32Array(size),
        visitors: new Uint32Array(size),
        distinct: new DistinctVisitors(size),
      };
    });
  }

  /** Call with spans in visitor order. */
  add(spans: readonly VisitorSpan[]): void {
    // Visitors ascend, so NO_VISITOR can only be the first visitor in a segment.
    if (!spans.some(startsVisitorless)) {
      this.count(spans);
      return;
    }
    const visitorless = spans
      .filter(startsVisitorless)
      .map((span) => ({ ...span, to: span.from + 1 }));
    this.visitorless ??= new RangeCounter(this.question, this.cancellation);
    this.visitorless.count(visitorless);
    this.count(
      spans
        .map((span) => (startsVisitorless(span) ? { ...span, from: span.from + 1 } : span))
        .filter(({ from, to }) => from < to),
    );
  }

  private count(spans: readonly VisitorSpan[]): void {
    const { range, filters, passing } = this.question;
    if (range === null && filters.length === 0 && passing === null) {
      this.addWhole(spans);
      return;
    }
    for (const span of spans) {
      for (const part of splitSpan(span)) {
        this.cancellation.check();
        this.addSelected(part);
      }
    }
  }

  result(): PartialCount {
    const counted = {
      ...this.summary,
      lists: this.lists.map(({ clicks, visitors }) => ({ clicks, visitors })),
    };
    return this.visitorless === undefined
      ? counted
      : withVisitorless(counted, this.visitorless.result());
  }

  /** Counts spans without filters; the caller already has the other figures in the summary. */
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
    if (counted.by === 'time') countTimes(list, counted.starts, segmentTimes(span.segment), span);
    else if (counted.by === 'mark') countMarks(list, this.marks, span);
    else {
      const column = countedColumn(span.segment, counted);
      const numbers = counted.by === 'link' ? this.question.links : counted.counted;
      if (numbers !== null) countNumbered(list, column, numbers, span);
      else if (column.perVisitor) countVisitorColumn(list, column, span);
      else countRowColumn(list, column, span);
    }
  }

  private get marks(): SourceMarks {
    return this.question.marks ?? columnNotRead('marks');
  }

  private addSelected(span: VisitorSpan): void {
    const selected = this.selector.select(span);
    if (selected.count === 0) return;
    this.summarise(span.segment, selected);
    for (const list of this.lists) {
      const { counted } = list;
      if (counted.by === 'time') {
        countSelectedTimes(list, counted.starts, segmentTimes(span.segment), selected);
        continue;
      }
      if (counted.by === 'mark') {
        countSelectedMarks(list, span.segment.sources, this.marks, selected);
        continue;
      }
      const column = countedColumn(span.segment, counted);
      const numbers = counted.by === 'link' ? this.question.links : counted.counted;
      if (numbers !== null) countSelectedNumbered(list, column, numbers, selected);
      else if (column.perVisitor) countSelectedVisitors(list, column, selected);
      else countSelectedRows(list, column, selected);
    }
  }

  private summarise(segment: Segment, selection: SelectedRows): void {
    const { summary, visitors } = this;
    const { rows, starts, places, numbers, count, visitors: selected } = selection;
    const { base, low, high } = segmentTimes(segment);
    const { redirectMs } = segment;
    let first = Infinity;
    let last = -Infinity;
    let lastRow = 0;
    for (let i = 0; i < count; i += 1) {
      const row = rows[i] ?? 0;
      const at = (low[row] ?? 0) + (high === null ? 0 : (high[row] ?? 0) * 2 ** 32);
      if (at < first) first = at;
      if (at > last) [last, lastRow] = [at, i];
      const time = redirectMs?.[row] ?? 0;
      if (time === NO_REDIRECT_MS) summary.untimed += 1;
      else summary.redirectMs += time;
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
      const { ids, perVisitor } = segment.columns[name] ?? columnNotRead(name);
      return ids[(perVisitor ? places[visitor] : rows[lastRow]) ?? 0] ?? 0;
    };
    const lastValues = { browser: number('browser'), os: number('os'), country: number('country') };
    summary.last = { at: base + last, ...lastValues };
  }
}

function startsVisitorless({ segment: { visitors }, from, to }: VisitorSpan): boolean {
  const at = from * VISITOR_WORDS;
  return from < to && visitors[at] === 0 && visitors[at + 1] === 0 && visitors[at + 2] === 0;
}

/** Adds the clicks of NO_VISITOR but no visitor. */
function withVisitorless(counted: PartialCount, visitorless: PartialCount): PartialCount {
  for (const [place, { clicks }] of counted.lists.entries()) {
    visitorless.lists[place]?.clicks.forEach((count, value) => {
      if (count > 0) clicks[value] = (clicks[value] ?? 0) + count;
    });
  }
  const { last } = counted;
  const isLater = visitorless.last !== null && visitorless.last.at > (last?.at ?? -Infinity);
  return {
    clicks: counted.clicks + visitorless.clicks,
    visitors: counted.visitors,
    withoutVisitor: visitorless.clicks,
    redirectMs: counted.redirectMs + visitorless.redirectMs,
    untimed: counted.untimed + visitorless.untimed,
    first:
      counted.first === null
        ? visitorless.first
        : Math.min(counted.first, visitorless.first ?? Infinity),
    last: isLater ? visitorless.last : last,
    lists: counted.lists,
  };
}
