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
  it('cover its links alone, visitors counted once', async () => {
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
    const only = await ofAccount({
      filters: JSON.stringify({ short_code: [aliases[1], foreign] }),
    });
    expect(only.summary.total_clicks).toBe(1);
    const named = await ofAccount({ short_code: aliases[0] });
    expect(named).toMatchObject({ short_code: aliases[0], summary: { total_clicks: 4 } });
    const neither = await ofAccount({
      short_code: aliases[0],
      filters: JSON.stringify({ short_code: [aliases[1]] }),
    });
    expect(neither.summary.total_clicks).toBe(0);
  });

  it('begin with its oldest link, or with the named one', async () => {
    const start = async (query: object): Promise<string> =>
      (await ofAccount({ start_date: undefined, end_date: undefined, ...query })).time_range
        .start_date;
    const nothing = Date.parse(await start({}));
    expect(Math.abs(Date.now() - 7 * DAY - nothing)).toBeLessThan(60_000);
    await world.link({ owner: user.id, created_at: new Date(NOON - 9 * DAY) });
    const younger = await world.link({ owner: user.id, created_at: new Date(NOON) });
    expect(await start({})).toBe('2026-10-11T12:00:00.000Z');
    expect(await start({ short_code: younger })).toBe('2026-10-20T12:00:00.000Z');
    expect(await start({ end_date: '2026-10-01' })).toBe('2026-10-01T00:00:00.000Z');
  });
});
