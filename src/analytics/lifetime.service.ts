import { Injectable } from '@nestjs/common';
import type { Link } from '../links/lookup/link';
import type { Breakdown, Question } from './engine/figures';
import type { Asker } from './engine/question-queue';
import { type Asking, type OpenFigures, StatisticsEngine } from './engine/statistics-engine';
import {
  type Lifetime,
  LIFETIME_DIMENSIONS,
  type LifetimeDimension,
  type LifetimeList,
  totalsOf,
} from './lifetime';

/** A link whose life is asked about. */
export type LivingLink = Pick<Link, 'id' | 'alias' | 'createdAt' | 'totalClicks'>;

export interface LifetimeQuestion {
  link: LivingLink;
  /** Referrers and bots are written with `_` for `.` (contract 13.3). */
  underscored: boolean;
  asker: Asker;
  /** Milliseconds since 1970-01-01 UTC. */
  now: number;
}

const UNDERSCORED = ['referrer', 'bot'] as const;

/** Figures over the whole life of one public link: the door for v0 and the statistics page. */
@Injectable()
export class LifetimeService {
  constructor(private readonly engine: StatisticsEngine) {}

  /** At most `rows` rows a list, the largest; days are never cut. */
  async of(asked: LifetimeQuestion, rows: number): Promise<Lifetime> {
    const source = sourceOf(asked);
    const figures = await this.engine.count(source, questionOf(asked), rows, askingOf(asked));
    const lists = Object.fromEntries(
      LIFETIME_DIMENSIONS.map((name) => [name, listOf(figures.breakdowns[name], name)]),
    ) as Record<LifetimeDimension, LifetimeList>;
    return { ...totalsOf(figures.summary), lists };
  }

  /** Everything, for files; to be closed. */
  open(asked: LifetimeQuestion): Promise<OpenFigures> {
    return this.engine.open(sourceOf(asked), questionOf(asked), askingOf(asked));
  }
}

function sourceOf({ link: { id, alias } }: LifetimeQuestion) {
  return { links: [{ id, alias }] };
}

function questionOf({ link, underscored, now }: LifetimeQuestion): Question {
  return {
    start: Math.min(link.createdAt.getTime(), now),
    end: now,
    dimensions: LIFETIME_DIMENSIONS,
    filters: {},
    buckets: { strategy: 'daily', timezone: 'UTC' },
    underscored: underscored ? UNDERSCORED : [],
  };
}

/** Whether the link may be asked about is decided before; then everybody gets the same answer. */
function askingOf({ link, asker }: LifetimeQuestion): Asking {
  return { asker, words: 'lifetime', clicks: link.totalClicks, isPublic: true };
}

function listOf(breakdown: Breakdown | undefined, name: LifetimeDimension): LifetimeList {
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
