import {
  AUDIENCES,
  type Dimension,
  METRICS,
  type StatisticsQuery,
} from '../../../src/engines/click-engine/query/statistics-query';
import { aQuery } from '../shared/counted';
import { naiveBreakdown, type NaiveClick, naiveSummary } from '../shared/naive-count';
import type { SeededRandom } from '../fuzz/seeded-random';

const DAY_MS = 86_400_000;
const HOUR_MS = DAY_MS / 24;
const MAX_HOURLY_MS = 40 * DAY_MS;
const MAX_ROWS = 1000;

const OF_LINK: readonly Dimension[] = [
  ...(['time', 'browser', 'os', 'device', 'country', 'city', 'referrer'] as const),
  ...(['utm_source', 'utm_medium', 'utm_campaign', 'variant', 'trigger', 'audience'] as const),
];
const OF_ACCOUNT: readonly Dimension[] = [...OF_LINK, 'short_code', 'tag'];

const STRATEGIES = { hour: 'hourly', day: 'daily', week: 'weekly', month: 'monthly' } as const;

const VALUES = {
  browser: ['Chrome', 'Firefox', 'Mobile Safari', 'Unknown'],
  os: ['Linux', 'Windows', 'iOS', 'Unknown'],
  device: ['desktop', 'mobile', 'unknown'],
  country: ['DE', 'France', 'United States', 'CD', 'Unknown'],
  city: ['Berlin', 'Unknown'],
  referrer: ['Direct', 'https://t.co'],
  utm_source: ['(none)', 'mail'],
  trigger: ['link', 'qr'],
} as const;

export interface RandomQuestion {
  readonly aliases: readonly string[] | null;
  readonly isOfLink: boolean;
  readonly parameters: Record<string, string>;
  readonly query: StatisticsQuery;
  readonly limit: number;
}

export function randomQuestion(
  random: SeededRandom,
  known: readonly string[],
  now: number,
): RandomQuestion {
  const isOfLink = random.chance(0.4);
  const isNamed = isOfLink || random.chance(0.3);
  const aliases = isNamed ? [random.of(known), ...(isOfLink ? [] : [random.of(known)])] : null;
  const end = random.chance(0.5) ? now : now - random.below(200 * 24) * HOUR_MS;
  const start = end - random.of([1, 10, 40, 100, 450]) * DAY_MS - random.below(20) * HOUR_MS;
  const dimensions = (isOfLink ? OF_LINK : OF_ACCOUNT).filter(() => random.chance(0.3));
  if (dimensions.length === 0) dimensions.push('time');
  const timezone = random.of(['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/New_York']);
  const bucket = random.of(['auto', 'day', 'week', 'month', 'hour'] as const);
  const fits = bucket !== 'hour' || end - start < MAX_HOURLY_MS ? bucket : 'day';
  const audience = random.of(AUDIENCES);
  const filters = Object.fromEntries(
    Object.entries(VALUES)
      .filter(() => random.chance(0.12))
      .map(([name, values]) => [name, values.filter(() => random.chance(0.5))])
      .filter(([, values]) => values?.length !== 0),
  ) as StatisticsQuery['filters'];
  const limit = random.chance(0.2) ? 1 + random.below(4) : MAX_ROWS;
  const strategy = fits === 'auto' ? autoStrategy(end - start) : STRATEGIES[fits];
  return {
    aliases,
    isOfLink,
    limit,
    parameters: {
      start_date: new Date(start).toISOString(),
      end_date: new Date(end).toISOString(),
      group_by: dimensions.join(),
      metrics: random.of([METRICS.join(), ...METRICS]),
      filters: JSON.stringify(filters),
      ...{ timezone, bucket: fits, audience, limit: String(limit) },
      ...(!isOfLink && { scope: 'all' }),
      ...(!isOfLink && aliases !== null && { short_code: `${aliases.join()},` }),
    },
    query: aQuery({ start, end, audience, filters, dimensions, buckets: { strategy, timezone } }),
  };
}

function autoStrategy(ms: number): NonNullable<StatisticsQuery['buckets']>['strategy'] {
  const days = Math.floor(ms / DAY_MS);
  if (days <= 31) return 'daily';
  return days <= 180 ? 'weekly' : 'monthly';
}

/** Compared parts of a response. */
export interface CountedAnswer {
  readonly summary: object;
  readonly metrics: Record<string, readonly (readonly [string, number])[]>;
}

export function countedAnswer(question: RandomQuestion, all: readonly NaiveClick[]): CountedAnswer {
  const { aliases, query, parameters, limit } = question;
  const clicks = all.filter(({ alias }) => aliases === null || aliases.includes(alias));
  const found = naiveSummary(clicks, query);
  const { first, lastAt, withoutVisitor, untimed, redirectMs } = found;
  const iso = (at: number | null): string | null =>
    at === null ? null : new Date(at).toISOString();
  const timed = found.clicks - untimed;
  const metrics: Record<string, (readonly [string, number])[]> = {};
  for (const dimension of query.dimensions) {
    const rows = naiveBreakdown(clicks, query, dimension);
    const listed = dimension === 'time' ? rows : rows.slice(0, limit);
    for (const metric of METRICS.filter((one) => parameters.metrics?.split(',').includes(one))) {
      const figures = listed.map(
        ({ label, clicks: number, visitors }) =>
          [label, metric === 'clicks' ? number : visitors] as const,
      );
      metrics[`${metric}_by_${dimension}`] = figures.filter(([, figure]) => figure > 0);
    }
  }
  return {
    summary: {
      total_clicks: found.clicks,
      unique_clicks: found.visitors,
      first_click: iso(first),
      last_click: iso(lastAt),
      avg_redirection_time: timed === 0 ? null : Math.round((redirectMs / timed) * 100) / 100,
      ...(withoutVisitor > 0 && { clicks_without_visitor: withoutVisitor }),
    },
    metrics,
  };
}

export function comparedParts(body: {
  readonly summary: object;
  readonly metrics: Record<string, readonly Record<string, string | number>[]>;
}): CountedAnswer {
  const lists = Object.entries(body.metrics).map(([name, points]) => {
    const [metric = '', dimension = ''] = name.split('_by_');
    const figures = points.map(
      (point) => [String(point[dimension]), Number(point[metric])] as const,
    );
    return [name, figures.filter(([, figure]) => figure > 0)] as const;
  });
  return { summary: body.summary, metrics: Object.fromEntries(lists) };
}
