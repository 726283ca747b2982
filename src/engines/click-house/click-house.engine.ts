import type { ChunkSource } from '../click-engine/query/chunk-source';
import type { QueriedLinks } from '../click-engine/counting/queried-links';
import { queryBuckets } from '../click-engine/counting/counting-question';
import {
  rankedBreakdown,
  relabelling,
  serialBreakdown,
  type ValueCounts,
} from '../click-engine/counting/query-result';
import { CancelledError } from '../click-engine/chunk/engine.errors';
import { OpenResults } from '../click-engine/open-results';
import type {
  Breakdown,
  BreakdownPage,
  Cancellation,
  Dimension,
  LinkName,
  OpenedResult,
  Source,
  StatisticsQuery,
  StatisticsResult,
  Summary,
} from '../click-engine/query/statistics-query';
import { AccountLinks } from './account-links';
import { BATCHES, CLICKS, type ClickTable } from './click-table';
import {
  type CompleteBatches,
  rowCondition,
  type CountedRows,
  isStoredDimension,
  lastClickSql,
  linksSql,
  listSql,
  marksSql,
  type ReadRows,
  summarySql,
  timeSql,
  visitorsSql,
  WHOLE_VISITOR,
  wholeVisitorsSql,
} from './question-sql';

const LISTS_AT_ONCE = 2;

type ListRow = [label: string, clicks: number, visitors: number];
type NumberedRow = [number: number, clicks: number, visitors: number];
type SummaryRow = [
  clicks: number,
  first: number,
  last: number,
  redirectMs: number,
  untimed: number,
];

interface CountedVisitors extends Pick<CountedRows, 'visitor'> {
  readonly visitors: number;
  readonly withoutVisitor: number;
}

interface RunningQuery extends QueriedLinks {
  readonly query: StatisticsQuery;
  readonly linkIds: readonly string[];
  readonly counted: CountedRows;
  readonly summary: Summary;
  readonly rows: number;
  readonly cancellation: Cancellation;
}

/** Counts clicks in ClickHouse; has the same interface as ClickEngine. */
export class ClickHouseEngine {
  readonly heldBytes = 0;
  private readonly links: AccountLinks;

  /** @param ready called before each query; resolves once queries are possible */
  constructor(
    private readonly table: ClickTable,
    source: ChunkSource,
    private readonly results: OpenResults,
    private readonly ready: () => Promise<void>,
  ) {
    this.links = new AccountLinks(source);
  }

  async count(
    source: Source,
    query: StatisticsQuery,
    rows: number,
    cancellation: Cancellation,
  ): Promise<StatisticsResult> {
    cancellation.check();
    await this.ready();
    const links = await this.links.queriedLinks(source, query);
    const linkIds = links.only ?? [...links.links.keys()];
    // All lists count only these batches, so later batches cannot make the lists differ.
    const batches = await this.completeBatches(cancellation);
    const read = {
      table: this.table.sqlName(CLICKS),
      condition: rowCondition(query, linkIds, batches, deletedClicks(linkIds, links.links)),
    };
    const { summary, visitor } = await this.readSummary(read, cancellation);
    const counted = { ...read, visitor, hasVisitorless: summary.withoutVisitor > 0 };
    const context = { ...links, query, linkIds, counted, summary, rows, cancellation };
    const breakdowns: Partial<Record<Dimension, Breakdown>> = {};
    const waiting = [...query.dimensions];
    const work = async () => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        breakdowns[name] = await this.readBreakdown(name, context);
      }
    };
    const done = await Promise.allSettled(Array.from({ length: LISTS_AT_ONCE }, work));
    const failed = done.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return { summary, breakdowns };
  }

  async open(
    source: Source,
    query: StatisticsQuery,
    cancellation: Cancellation,
  ): Promise<OpenedResult> {
    return this.results.open(await this.count(source, query, Infinity, cancellation));
  }

  rows(cursorId: number, dimension: Dimension, from: number, count: number): BreakdownPage {
    return this.results.rows(cursorId, dimension, from, count);
  }

  release(cursorId: number): void {
    this.results.release(cursorId);
  }

  async close(): Promise<void> {
    this.results.stop();
    await this.table.server.close();
  }

  private async completeBatches(cancellation: Cancellation): Promise<CompleteBatches[]> {
    const data = await this.ask<[number, number]>(
      `SELECT node, max(number) FROM ${this.table.sqlName(BATCHES)} GROUP BY node ORDER BY node`,
      cancellation,
    );
    return data.data.map(([node, number]) => ({ node, number }));
  }

  /** Returns the sums, and the columns that the lists use to distinguish visitors. */
  private async readSummary(
    read: ReadRows,
    cancellation: Cancellation,
  ): Promise<{ summary: Summary } & Pick<CountedRows, 'visitor'>> {
    const { data } = await this.ask<SummaryRow>(summarySql(read), cancellation);
    const [clicks, first, at, redirectMs, untimed] = data[0] ?? [0, 0, 0, 0, 0];
    if (clicks === 0) {
      const none = { clicks, visitors: 0, withoutVisitor: 0, redirectMs: 0, untimed: 0 };
      const summary = { ...none, first: null, last: null };
      return { summary, visitor: 'visitor' };
    }
    const latest = await this.ask<string[]>(lastClickSql(read, at), cancellation);
    const [browser = '', os = '', country = ''] = latest.data[0] ?? [];
    const counted = await this.readVisitors(read, cancellation);
    const { visitors, withoutVisitor, visitor } = counted;
    const last = { at, browser, os, country };
    const times = { first, last, redirectMs, untimed };
    return { summary: { clicks, visitors, withoutVisitor, ...times }, visitor };
  }

  private async readVisitors(read: ReadRows, cancellation: Cancellation): Promise<CountedVisitors> {
    const { data } = await this.ask<[number, number, number]>(visitorsSql(read), cancellation);
    const [visitors, shared, withoutVisitor] = data[0] ?? [0, 0, 0];
    if (shared === 0) return { visitors, withoutVisitor, visitor: 'visitor' };
    const whole = await this.ask<[number, number]>(wholeVisitorsSql(read), cancellation);
    const [all, visitorless] = whole.data[0] ?? [0, 0];
    return { visitors: all, withoutVisitor: visitorless, visitor: WHOLE_VISITOR };
  }

  private async readBreakdown(name: Dimension, context: RunningQuery): Promise<Breakdown> {
    const { query, counted, summary, rows, cancellation } = context;
    if (isStoredDimension(name)) {
      const sql = listSql(counted, name, query, rows);
      const answer = await this.ask<ListRow>(sql, cancellation);
      const { data, totals, rows_before_limit_at_least: size = data.length } = answer;
      return {
        ...breakdownColumns(data.slice(0, rows)),
        size: Math.max(size, data.length),
        clicksSum: totals?.[1] ?? 0,
        visitorsSum: totals?.[2] ?? 0,
      };
    }
    const ranking = { rows, relabel: relabelling(query, name), cancellation };
    if (name === 'time') {
      const counts = await this.numbered(timeSql(counted, query), cancellation);
      return serialBreakdown(counts, queryBuckets(query).labels);
    }
    if (name === 'short_code') return this.readLinkBreakdown(context, ranking);
    const { marks, linkIds } = context;
    if (marks === null) throw new RangeError('A breakdown by mark requires the marks');
    const sql = marksSql(counted, linkIds, marks);
    const counts = await this.numbered(sql, cancellation);
    const breakdown = rankedBreakdown(counts, (value) => marks.labels[value] ?? null, ranking);
    return { ...breakdown, clicksSum: summary.clicks, visitorsSum: summary.visitors };
  }

  private async readLinkBreakdown(
    { counted, links, cancellation }: RunningQuery,
    ranking: Parameters<typeof rankedBreakdown>[2],
  ): Promise<Breakdown> {
    const { data } = await this.ask<ListRow>(linksSql(counted), cancellation);
    const { labels, clicks, visitors } = breakdownColumns(data);
    const counts = { clicks: Uint32Array.from(clicks), visitors: Uint32Array.from(visitors) };
    return rankedBreakdown(counts, (at) => links.get(labels[at] ?? '')?.alias ?? null, ranking);
  }

  private async numbered(sql: string, cancellation: Cancellation): Promise<ValueCounts> {
    const { data } = await this.ask<NumberedRow>(sql, cancellation);
    const size = data.reduce((most, [number]) => Math.max(most, number + 1), 0);
    const counts = { clicks: new Uint32Array(size), visitors: new Uint32Array(size) };
    for (const [number, clicks, visitors] of data) {
      counts.clicks[number] = clicks;
      counts.visitors[number] = visitors;
    }
    return counts;
  }

  private async ask<Row extends readonly unknown[]>(sql: string, cancellation: Cancellation) {
    cancellation.check();
    try {
      return await this.table.server.ask<Row>(sql, { signal: cancellation.signal });
    } catch (error) {
      if (cancellation.isCancelled) throw new CancelledError();
      throw error;
    }
  }
}

function deletedClicks(
  linkIds: readonly string[],
  links: ReadonlyMap<string, LinkName>,
): Map<string, number> {
  const deleted = new Map<string, number>();
  for (const id of linkIds) {
    const since = links.get(id)?.since;
    if (since !== undefined) deleted.set(id, since);
  }
  return deleted;
}

function breakdownColumns(
  rows: readonly ListRow[],
): Pick<Breakdown, 'labels' | 'clicks' | 'visitors'> {
  return {
    labels: rows.map(([label]) => label),
    clicks: rows.map(([, clicks]) => clicks),
    visitors: rows.map(([, , visitors]) => visitors),
  };
}
