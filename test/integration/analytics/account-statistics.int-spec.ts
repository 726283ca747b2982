import { type Answer, DAY, NOON, RANGE, clicks } from '../../support/statistics/hand-counted';
import { aSession, type Session, StatisticsWorld } from '../../support/statistics/statistics-world';

let world: StatisticsWorld;
let user: Session;
beforeAll(async () => {
  world = await StatisticsWorld.open();
});
afterAll(() => world.close());
beforeEach(() => {
  user = aSession();
});

async function ofAccount(query: object): Promise<Answer> {
  const answer = await world.get('/api/v1/stats', { scope: 'all', ...RANGE, ...query }, user);
  expect(answer.status).toBe(200);
  return answer.body as Answer;
}

describe('Statistics of an account', () => {
  it('include only its links, and count visitors once', async () => {
    const aliases = [`one-${user.token.slice(-6)}`, `two-${user.token.slice(-6)}`];
    const [one, two] = [
      await world.link({ owner: user.id, alias: aliases[0] }),
      await world.link({ owner: user.id, alias: aliases[1] }),
    ];
    const foreign = await world.link({ owner: aSession().id });
    await world.record(one, clicks);
    await world.record(two, clicks.slice(0, 1));
    await world.record(foreign, clicks);
    const { summary, metrics } = await ofAccount({ group_by: 'short_code' });
    expect(summary).toMatchObject({ total_clicks: 5, unique_clicks: 3 });
    expect(metrics.unique_clicks_by_short_code).toEqual([
      { short_code: aliases[0], unique_clicks: 3, unique_clicks_percentage: 75 },
      { short_code: aliases[1], unique_clicks: 1, unique_clicks_percentage: 25 },
    ]);
    const only = await ofAccount({ filters: JSON.stringify({ short_code: [aliases[1]] }) });
    expect(only.summary.total_clicks).toBe(1);
    const named = await ofAccount({ short_code: aliases[0] });
    expect(named).toMatchObject({ short_code: aliases[0], summary: { total_clicks: 4 } });
    const neither = await ofAccount({
      short_code: aliases[0],
      filters: JSON.stringify({ short_code: [aliases[1]] }),
    });
    expect(neither.summary.total_clicks).toBe(0);
  });

  it('include links chosen by codes or ids, in lists', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((letter) => `${letter}-${user.token.slice(-6)}`);
    const ids = await Promise.all(
      [a, b, c].map((alias) => world.link({ owner: user.id, alias, private_stats: true })),
    );
    for (const [i, id] of ids.entries()) await world.record(id, clicks.slice(i));
    const total = async (query: object): Promise<[number, object]> => {
      const { summary, filters } = await ofAccount(query);
      return [summary.total_clicks, filters];
    };
    expect(await total({})).toEqual([9, {}]);
    expect(await total({ short_code: `${a},${c}` })).toEqual([6, { short_code: [a, c] }]);
    expect(await total({ url_id: ids[1] })).toEqual([3, { url_id: [ids[1]] }]);
    const upper = `${ids[1]!.toUpperCase()},${ids[2]}`;
    expect((await total({ url_id: upper }))[0]).toBe(5);
    const both = JSON.stringify({ url_id: [ids[0], ids[1]], short_code: [b, c] });
    expect((await total({ filters: both }))[0]).toBe(3);
    const united = { short_code: `${a},`, filters: JSON.stringify({ short_code: [b] }) };
    expect(await total(united)).toEqual([7, { short_code: [b, a] }]);
    const { metrics } = await ofAccount({ short_code: `${a},${b}`, group_by: 'short_code' });
    expect(metrics.clicks_by_short_code!.map(({ short_code }) => short_code)).toEqual([a, b]);
  });

  it('return the same error for lists with an unknown or foreign link', async () => {
    const own = await world.link({ owner: user.id });
    const alias = `own-${user.token.slice(-6)}`;
    await world.link({ owner: user.id, alias });
    const foreign = await world.link({ owner: aSession().id, alias: `f-${user.token.slice(-6)}` });
    const lists = [
      { url_id: `${own},${foreign}` },
      { url_id: `${own},${'f'.repeat(24)}` },
      { url_id: 'no-id' },
      { filters: JSON.stringify({ url_id: [foreign] }) },
      { short_code: `${alias},f-${user.token.slice(-6)}` },
      { short_code: `${alias},none-such` },
      { filters: JSON.stringify({ short_code: [alias, 'none-such'] }) },
    ];
    for (const query of lists) {
      for (const path of ['/api/v1/stats', '/api/v1/export']) {
        const asked = { scope: 'all', format: 'json', ...RANGE, ...query };
        const { status, body } = await world.get(path, asked, user);
        expect([query, status]).toEqual([query, 404]);
        expect(body).toMatchObject({ error: 'Link not found' });
      }
    }
  });

  it('can also be listed and filtered by device and campaign', async () => {
    const id = await world.link({ owner: user.id });
    await world.record(id, clicks);
    const { metrics } = await ofAccount({
      metrics: 'clicks',
      group_by: 'device,utm_source,utm_medium,utm_campaign',
    });
    const shown = Object.entries(metrics).map(([key, points]) => [
      key,
      ...points.map((point) => Object.values(point).slice(0, 2).join(' ')),
    ]);
    expect(shown).toEqual([
      ['clicks_by_device', 'desktop 2', 'mobile 1', 'unknown 1'],
      ['clicks_by_utm_source', '(none) 3', 'mail 1'],
      ['clicks_by_utm_medium', '(none) 4'],
      ['clicks_by_utm_campaign', '(none) 4'],
    ]);
    const total = async (query: object) => (await ofAccount(query)).summary.total_clicks;
    expect(await total({ device: 'mobile,unknown' })).toBe(2);
    expect(await total({ utm_source: 'mail' })).toBe(1);
    expect(await total({ filters: '{"utm_medium":["(none)"],"device":["desktop"]}' })).toBe(2);
    const fridge = { scope: 'all', ...RANGE, device: 'fridge' };
    expect((await world.get('/api/v1/stats', fridge, user)).status).toBe(422);
  });

  it('begin with the creation of its oldest link, or of the selected link', async () => {
    const start = async (query: object): Promise<string> =>
      (await ofAccount({ start_date: undefined, end_date: undefined, ...query })).time_range
        .start_date;
    const before = Date.now();
    const nothing = Date.parse(await start({}));
    expect(nothing).toBeGreaterThanOrEqual(before - 7 * DAY);
    expect(nothing).toBeLessThanOrEqual(Date.now() - 7 * DAY);
    await world.link({ owner: user.id, created_at: new Date(NOON - 9 * DAY) });
    const younger = await world.link({ owner: user.id, created_at: new Date(NOON) });
    expect(await start({})).toBe('2026-10-11T12:00:00.000Z');
    expect(await start({ short_code: younger })).toBe('2026-10-20T12:00:00.000Z');
    expect(await start({ end_date: '2026-10-01' })).toBe('2026-10-01T00:00:00.000Z');
  });
});
