import JSZip from 'jszip';
import { AUDIENCE_CLASSES } from '../../../src/engines/click-engine/chunk/click';
import {
  type Audience,
  AUDIENCES,
  type Dimension,
  type StatisticsQuery,
} from '../../../src/engines/click-engine/query/statistics-query';
import { inBytes } from '../../support/http';
import { aClick } from '../../support/shared/click.factory';
import { aQuery } from '../../support/shared/counted';
import { NOON, RANGE } from '../../support/statistics/hand-counted';
import { naiveBreakdown, type NaiveClick, naiveSummary } from '../../support/shared/naive-count';
import { aSession, type Session, StatisticsWorld } from '../../support/statistics/statistics-world';

const OSES = ['Linux', 'Windows', 'Android'];
const BOTS = [null, null, 'Googlebot', 'curl'];

const clicks: NaiveClick[] = Array.from({ length: 240 }, (_, i) => ({
  ...aClick({
    at: NOON + i * 60_000,
    visitor: String(i % 17).padStart(24, 'a'),
    os: OSES[i % 3],
    botName: BOTS[(i * 7) % 4] ?? null,
    signals: [0, 2, 0, 16, 0, 1, 3][i % 7]!,
    variant: [null, 'r1', '2'][i % 3]!,
  }),
  alias: 'audience',
}));

interface Report {
  audience?: string;
  summary: { total_clicks: number; unique_clicks: number };
  metrics: Record<'clicks_by_os' | 'unique_clicks_by_os', Record<string, string | number>[]>;
}

let world: StatisticsWorld;
let user: Session;
let id: string;
beforeAll(async () => {
  world = await StatisticsWorld.open();
  user = aSession();
  id = await world.link({ owner: user.id, alias: 'audience', private_stats: false });
  await world.record(id, clicks.slice(0, 100));
  await world.record(id, clicks.slice(100));
});
afterAll(() => world.close());

function counted(audience: Audience | undefined) {
  const query: StatisticsQuery = aQuery({
    start: Date.parse(RANGE.start_date),
    end: Date.parse(RANGE.end_date),
    audience,
  });
  const { clicks: total, visitors } = naiveSummary(clicks, query);
  const rows = naiveBreakdown(clicks, query, 'os');
  return {
    ...{ total, visitors },
    clicks: rows.map(({ label, clicks: value }) => [label, value]),
    unique: rows.map(({ label, visitors: value }) => [label, value]),
  };
}

function shown({ summary, metrics }: Report) {
  const list = (points: Record<string, string | number>[] = []) =>
    points.map((point) => Object.values(point).slice(0, 2));
  return {
    total: summary.total_clicks,
    visitors: summary.unique_clicks,
    clicks: list(metrics.clicks_by_os),
    unique: list(metrics.unique_clicks_by_os),
  };
}

const ASKED = { ...RANGE, group_by: 'os' };
const endpoints = {
  A: () => ['/api/v1/stats', { scope: 'all', ...ASKED }] as const,
  'A of one link': () =>
    ['/api/v1/stats', { scope: 'anon', short_code: 'audience', ...ASKED }] as const,
  L: () => [`/api/v1/stats/links/${id}`, ASKED] as const,
  X: () => ['/api/v1/export', { scope: 'all', format: 'json', ...ASKED }] as const,
  XL: () => [`/api/v1/export/links/${id}`, { format: 'json', ...ASKED }] as const,
  P: () => ['/api/v1/public/stats/audience', RANGE] as const,
};

describe('The audience of statistics', () => {
  it.each(Object.entries(endpoints))(
    'for %s is counted exactly, and includes all visitors by default',
    async (name, of) => {
      const [path, query] = of();
      for (const audience of [undefined, ...AUDIENCES]) {
        const answer = await world.get(path, { ...query, audience }, user);
        expect(answer.status).toBe(200);
        const body = answer.body as Report | { stats: Report };
        const report = 'stats' in body ? body.stats : body;
        const { clicks: byOs, unique, ...totals } = counted(audience);
        // Public statistics ignore group_by.
        const expected = name === 'P' ? totals : { ...totals, clicks: byOs, unique };
        expect(shown(report)).toMatchObject(expected);
        expect(report.audience).toBe(audience === 'all' ? undefined : audience);
      }
      const classes = AUDIENCE_CLASSES.map((audience) => counted(audience).total);
      expect(classes.reduce((sum, total) => sum + total)).toBe(clicks.length);
      expect(Math.min(...classes)).toBeGreaterThan(0);
    },
  );

  it.each(Object.entries(endpoints))('for %s has one of four values', async (_, of) => {
    const [path, query] = of();
    for (const audience of ['bots', '', 'Human']) {
      const { status, body } = await world.get(path, { ...query, audience }, user);
      expect(status).toBe(422);
      expect(body).toMatchObject({ code: 'validation_error', field: 'audience' });
    }
  });

  it('can be combined with filters, and applies to the tables in files', async () => {
    const query = { ...RANGE, audience: 'bot', os: 'Linux', group_by: 'os', format: 'csv' };
    const answer = await inBytes(world.get(`/api/v1/export/links/${id}`, query, user));
    const zip = await JSZip.loadAsync(answer.body as Buffer);
    const [, linux] = counted('bot').clicks.find(([label]) => label === 'Linux') ?? [];
    expect(await zip.file('clicks_by_os.csv')!.async('string')).toBe(
      `os,clicks,clicks_percentage\r\n"Linux",${linux},100\r\n`,
    );
  });

  it('separates cached responses of public statistics', async () => {
    const totals = [];
    for (const audience of ['bot', 'human', 'bot', undefined]) {
      const { body } = await world.get('/api/v1/public/stats/audience', { ...RANGE, audience });
      totals.push((body as { stats: Report }).stats.summary.total_clicks);
    }
    const [bot, human] = [counted('bot').total, counted('human').total];
    expect(totals).toEqual([bot, human, bot, clicks.length]);
  });
});

describe('Class, trigger and variant', () => {
  const range = { start: Date.parse(RANGE.start_date), end: Date.parse(RANGE.end_date) };
  const naive = (dimension: Dimension, filters: StatisticsQuery['filters'] = {}) =>
    naiveBreakdown(clicks, aQuery({ ...range, filters }), dimension).map(
      ({ label, clicks: total, visitors }) => [label, total, visitors],
    );

  it('are lists A, L, X and XL, with exact clicks and visitors', async () => {
    const { A, L, X, XL } = endpoints;
    for (const endpoint of [A, L, X, XL]) {
      const [path, query] = endpoint();
      const asked = { ...query, group_by: 'audience,trigger,variant' };
      const { body } = await world.get(path, asked, user);
      const { metrics } = body as { metrics: Record<string, Record<string, string | number>[]> };
      for (const name of ['audience', 'trigger', 'variant'] as const) {
        const unique = new Map(
          metrics[`unique_clicks_by_${name}`]!.map((row) => [row[name], row.unique_clicks]),
        );
        const rows = metrics[`clicks_by_${name}`]!.map((row) => [
          row[name],
          row.clicks,
          unique.get(row[name]),
        ]);
        expect(rows).toEqual(naive(name));
      }
    }
    expect(naive('trigger').map(([label]) => label)).toEqual(['link', 'qr']);
    expect(
      naive('variant')
        .map(([label]) => label)
        .sort(),
    ).toEqual(['(default)', '2', 'r1']);
  });

  it.each([
    ['trigger=qr', { trigger: 'qr' }, { trigger: ['qr'] }],
    ['trigger in filters', { filters: '{"trigger":["link"]}' }, { trigger: ['link'] }],
    ['variant=(default),r1', { variant: '(default),r1' }, { variant: ['(default)', 'r1'] }],
    ['an unknown variant', { variant: 'nobody' }, { variant: ['nobody'] }],
  ])('are filters: %s', async (_, given, filters) => {
    const [path, query] = endpoints.L();
    const { body } = await world.get(path, { ...query, ...given, group_by: 'os' }, user);
    const list = (body as Report).metrics.clicks_by_os.map((row) => [row.os, row.clicks]);
    expect(list).toEqual(naive('os', filters).map(([label, total]) => [label, total]));
  });

  it.each([
    ['trigger of another word', { trigger: 'qr,scan' }, 'trigger'],
    ['trigger of another word in filters', { filters: '{"trigger":["QR"]}' }, 'filters'],
    ['audience in filters', { filters: '{"audience":["human"]}' }, 'filters'],
  ])('are rejected: %s', async (_, given, field) => {
    for (const endpoint of [endpoints.A, endpoints.L, endpoints.X, endpoints.XL]) {
      const [path, query] = endpoint();
      const { status, body } = await world.get(path, { ...query, ...given }, user);
      expect([status, (body as { field?: string }).field]).toEqual([422, field]);
    }
  });

  it('are not available in public statistics', async () => {
    const { body } = await world.get('/api/v1/public/stats/audience', RANGE);
    const { metrics } = (body as { stats: { metrics: object } }).stats;
    expect(Object.keys(metrics).filter((key) => /audience|trigger|variant/.test(key))).toEqual([]);
  });
});
