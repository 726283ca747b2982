import { Injectable } from '@nestjs/common';
import type { Link } from '../links/lookup/link';
import type { Dimension } from './engine/dimension';
import type { Question } from './engine/figures';
import { type FigureRow, type OpenFigures, StatisticsEngine } from './engine/statistics-engine';
import type { Lifetime } from './lifetime';

const DIMENSIONS = ['time', 'browser', 'os', 'country', 'referrer', 'bot'] as const;

/** Figures over the whole life of one link, uncut: the door for v0 and the statistics page. */
@Injectable()
export class LifetimeService {
  constructor(private readonly engine: StatisticsEngine) {}

  async of(link: Pick<Link, 'id' | 'alias' | 'createdAt'>, now = Date.now()): Promise<Lifetime> {
    const source = { links: [{ id: link.id, alias: link.alias }] };
    const question: Question = {
      start: Math.min(link.createdAt.getTime(), now),
      end: now,
      dimensions: DIMENSIONS,
      filters: {},
      buckets: { strategy: 'daily', timezone: 'UTC' },
    };
    const figures = await this.engine.open(source, question);
    try {
      return await read(figures);
    } finally {
      await figures.close();
    }
  }
}

async function read(figures: OpenFigures): Promise<Lifetime> {
  const { clicks, visitors, first, last, redirectMs } = figures.summary;
  return {
    totalClicks: clicks,
    uniqueClicks: visitors,
    firstClick: first,
    lastClick: last,
    averageRedirectMs: clicks === 0 ? 0 : redirectMs / clicks,
    days: await all(figures, 'time'),
    browsers: await all(figures, 'browser'),
    systems: await all(figures, 'os'),
    countries: await all(figures, 'country'),
    referrers: await all(figures, 'referrer'),
    bots: await all(figures, 'bot'),
  };
}

async function all(figures: OpenFigures, dimension: Dimension): Promise<FigureRow[]> {
  const rows: FigureRow[] = [];
  for await (const page of figures.rows(dimension)) rows.push(...page);
  return rows;
}
