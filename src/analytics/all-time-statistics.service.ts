import { Injectable } from '@nestjs/common';
import type { Link } from '../stores/links/link';
import { ALL_TIME_DIMENSIONS, type AllTimeDimension } from './engine/dimensions';
import { openResult, type OpenResult, type ResultRow } from './engine/open-result';
import {
  type StatisticsClient,
  StatisticsEngine,
  type StatisticsQuestion,
} from './engine/statistics-engine';
import type { StatisticsQuery } from '../engines/click-engine/query/statistics-query';
import type {
  Breakdown,
  LatestClick,
  Summary,
} from '../engines/click-engine/query/statistics-result';

export interface AllTimeTotals {
  totalClicks: number;
  uniqueClicks: number;
  /** Milliseconds since 1970-01-01 UTC; null without clicks. */
  firstClick: number | null;
  lastClick: LatestClick | null;
  /** Milliseconds, not rounded; 0 without clicks. */
  averageRedirectMs: number;
}

/** The largest rows, and the sums of clicks and visitors of the remaining ones. */
export interface AllTimeList {
  rows: readonly ResultRow[];
  cut: { values: number; clicks: number; visitors: number };
}

export interface AllTimeStatistics extends AllTimeTotals {
  lists: Record<AllTimeDimension, AllTimeList>;
}

export function toTotals(summary: Summary): AllTimeTotals {
  const { clicks, visitors, first, last, redirectMs, untimed } = summary;
  return {
    totalClicks: clicks,
    uniqueClicks: visitors,
    firstClick: first,
    lastClick: last,
    averageRedirectMs: clicks === untimed ? 0 : redirectMs / (clicks - untimed),
  };
}

export type DatedLink = Pick<Link, 'id' | 'alias' | 'createdAt' | 'totalClicks'>;

export interface AllTimeQuery {
  link: DatedLink;
  /** Referrers and bots contain `_` instead of `.` (docs/contract.md#13.3). */
  underscored: boolean;
  client: StatisticsClient;
  /** Milliseconds since 1970-01-01 UTC. */
  now: number;
}

const UNDERSCORED = ['referrer', 'bot'] as const;

/** Statistics of one public link since its creation, for v0 and the statistics page. */
@Injectable()
export class AllTimeStatisticsService {
  constructor(private readonly engine: StatisticsEngine) {}

  /** At most `rows` rows per list, the largest; days are never cut. */
  async countAllTime(query: AllTimeQuery, rows: number): Promise<AllTimeStatistics> {
    const result = await this.engine.count(toQuestion(query), rows);
    const lists = Object.fromEntries(
      ALL_TIME_DIMENSIONS.map((name) => [name, toAllTimeList(result.breakdowns[name], name)]),
    ) as Record<AllTimeDimension, AllTimeList>;
    return { ...toTotals(result.summary), lists };
  }

  /** Uncut, for files; the caller must close it. */
  open(query: AllTimeQuery): Promise<OpenResult> {
    return openResult(this.engine, toQuestion(query));
  }
}

function toAllTimeQuery({ link, underscored, now }: AllTimeQuery): StatisticsQuery {
  return {
    start: Math.min(link.createdAt.getTime(), now),
    end: now,
    dimensions: ALL_TIME_DIMENSIONS,
    filters: {},
    buckets: { strategy: 'daily', timezone: 'UTC' },
    underscored: underscored ? UNDERSCORED : [],
  };
}

/** The caller has checked access, so equal queries share a result. */
function toQuestion(allTimeQuery: AllTimeQuery): StatisticsQuestion {
  const { link, client } = allTimeQuery;
  const source = { links: [{ id: link.id, alias: link.alias }] };
  const known = { requestKey: 'all-time', clicks: link.totalClicks, isPublic: true };
  return { source, query: toAllTimeQuery(allTimeQuery), client, ...known };
}

function toAllTimeList(breakdown: Breakdown | undefined, name: AllTimeDimension): AllTimeList {
  if (breakdown === undefined) throw new RangeError(`No breakdown by ${name}`);
  const { labels, clicks, visitors, size, clicksSum, visitorsSum } = breakdown;
  const cut = { values: size - labels.length, clicks: clicksSum, visitors: visitorsSum };
  const rows = labels.map((label, at) => {
    const row = { label, clicks: clicks[at] ?? 0, visitors: visitors[at] ?? 0 };
    cut.clicks -= row.clicks;
    cut.visitors -= row.visitors;
    return row;
  });
  return { rows, cut };
}
