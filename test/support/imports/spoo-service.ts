import { Answer, JsonService, type Question } from './json-service';

export interface SpooLink {
  readonly id: string;
  readonly alias: string;
  readonly [field: string]: unknown;
}

export interface SpooClick {
  readonly at: string;
  readonly [dimension: string]: string;
}

const MAX_DAYS = 90;
const DIMENSIONS = ['browser', 'os', 'device', 'country', 'city', 'referrer'];

export function aSpooLink(alias: string, fields: Record<string, unknown> = {}): SpooLink {
  return {
    id: Buffer.from(alias.padStart(12, '-').slice(-12)).toString('hex'),
    alias,
    long_url: `https://a.test/${alias}`,
    status: 'ACTIVE',
    created_at: '2024-05-06T07:08:09+00:00',
    expire_after: null,
    max_clicks: null,
    private_stats: false,
    block_bots: false,
    password_set: false,
    total_clicks: 0,
    last_click: null,
    domain: 'spoo.test',
    geo_rules: null,
    meta_tags: null,
    ...fields,
  };
}

export function spooService(
  links: SpooLink[],
  clicks: Record<string, readonly SpooClick[]>,
  key: string,
): JsonService {
  return new JsonService(({ path, query, headers }) => {
    if (headers.authorization !== `Bearer ${key}`) return new Answer(401, { error: 'no key' });
    if (path === '/api/v1/stats') return statisticsOf(clicks[query.get('short_code') ?? ''], query);
    if (path !== '/api/v1/urls') return new Answer(404, { error: 'not found' });
    const [page, pageSize] = [Number(query.get('page')), Number(query.get('pageSize'))];
    const items = links.slice((page - 1) * pageSize, page * pageSize);
    return { items, page, pageSize, total: links.length, hasNext: page * pageSize < links.length };
  });
}

function statisticsOf(all: readonly SpooClick[] = [], query: Question['query']): unknown {
  const [start, end] = ['start_date', 'end_date'].map((name) => Date.parse(query.get(name) ?? ''));
  if (start === undefined || end === undefined || !(start <= end)) return new Answer(400, {});
  if (end - start > MAX_DAYS * 86_400_000) return new Answer(400, { error: 'range' });
  const found = all.filter(({ at }) => Date.parse(at) >= start && Date.parse(at) <= end);
  const times = found.map(({ at }) => at).sort();
  const lists = DIMENSIONS.map((name) => [
    `clicks_by_${name}`,
    points(
      name,
      found.map((click) => click[name] ?? 'Unknown'),
    ),
  ]);
  return {
    summary: {
      total_clicks: found.length,
      first_click: times[0] ?? null,
      last_click: times.at(-1) ?? null,
    },
    metrics: {
      clicks_by_time: points(
        'time',
        times.map((at) => at.slice(0, 10)),
      ),
      ...Object.fromEntries(lists),
    },
    time_bucket_info: { strategy: 'daily', timezone: 'UTC' },
  };
}

function points(name: string, values: readonly string[]): unknown[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, clicks]) => ({ [name]: value, clicks }));
}
