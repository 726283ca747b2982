import { Injectable } from '@nestjs/common';
import type { Link } from '../links/link';
import { ALL_TIME_DIMENSIONS, type AllTimeDimension } from './dimensions';
import type { StatisticsClient } from './engine/question-queue';
import {
  type Asking,
  type OpenResult,
  type ResultRow,
  StatisticsEngine,
} from './engine/statistics-engine';
import type {
  Breakdown,
  LatestClick,
  StatisticsQuestion,
  Summary,
} from './engine/statistics-result';

/** What v0 statistics and the statistics page show of one link: everything, since its creation. */
export interface AllTimeTotals {
  totalClicks: number;
  uniqueClicks: number;
  /** Milliseconds; null without clicks. */
  firstClick: number | null;
  lastClick: LatestClick | null;
  /** Milliseconds, not rounded; 0 without clicks. */
  averageRedirectMs: number;
}

/** The largest rows of a list, and the sums of those that were cut: of their clicks and visitors. */
export interface AllTimeList {
  rows: readonly ResultRow[];
  cut: { values: number; clicks: number; visitors: number };
}

export interface AllTimeStatistics extends AllTimeTotals {
  lists: Record<AllTimeDimension, AllTimeList>;
}

export function totalsOf({ clicks, visitors, first, last, redirectMs }: Summary): AllTimeTotals {
  return {
    totalClicks: clicks,
    uniqueClicks: visitors,
    firstClick: first,
    lastClick: last,
    averageRedirectMs: clicks === 0 ? 0 : redirectMs / clicks,
  };
}

/** A link whose life is asked about. */
export type DatedLink = Pick<Link, 'id' | 'alias' | 'createdAt' | 'totalClicks'>;

export interface AllTimeQuestion {
  link: DatedLink;
  /** Referrers and bots are written with `_` for `.` (docs/contract.md#13.3). */
  underscored: boolean;
  asker: StatisticsClient;
  /** Milliseconds since 1970-01-01 UTC. */
  now: number;
}

const UNDERSCORED = ['referrer', 'bot'] as const;

/** Figures over the whole life of one public link: the door for v0 and the statistics page. */
@Injectable()
export class AllTimeStatisticsService {
  constructor(private readonly engine: StatisticsEngine) {}

  /** At most `rows` rows a list, the largest; days are never cut. */
  async of(asked: AllTimeQuestion, rows: number): Promise<AllTimeStatistics> {
    const source = sourceOf(asked);
    const figures = await this.engine.count(source, questionOf(asked), rows, askingOf(asked));
    const lists = Object.fromEntries(
      ALL_TIME_DIMENSIONS.map((name) => [name, listOf(figures.breakdowns[name], name)]),
    ) as Record<AllTimeDimension, AllTimeList>;
    return { ...totalsOf(figures.summary), lists };
  }

  /** Everything, for files; to be closed. */
  open(asked: AllTimeQuestion): Promise<OpenResult> {
    return this.engine.open(sourceOf(asked), questionOf(asked), askingOf(asked));
  }
}

function sourceOf({ link: { id, alias } }: AllTimeQuestion) {
  return { links: [{ id, alias }] };
}

function questionOf({ link, underscored, now }: AllTimeQuestion): StatisticsQuestion {
  return {
    start: Math.min(link.createdAt.getTime(), now),
    end: now,
    dimensions: ALL_TIME_DIMENSIONS,
    filters: {},
    buckets: { strategy: 'daily', timezone: 'UTC' },
    underscored: underscored ? UNDERSCORED : [],
  };
}

/** Whether the link may be asked about is decided before; then everybody gets the same answer. */
function askingOf({ link, asker }: AllTimeQuestion): Asking {
  return { asker, words: 'lifetime', clicks: link.totalClicks, isPublic: true };
}

function listOf(breakdown: Breakdown | undefined, name: AllTimeDimension): AllTimeList {
  if (breakdown === undefined) throw new RangeError(`No figures by ${name}`);
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
