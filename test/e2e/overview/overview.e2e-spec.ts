import { aClick } from '../../support/shared/click.factory';
import { noonZone } from '../../support/statistics/noon-zone';
import { aSession, type Session, StatisticsWorld } from '../../support/statistics/statistics-world';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('GET /api/v1/overview', () => {
  let world: StatisticsWorld;
  let user: Session;
  beforeAll(async () => (world = await StatisticsWorld.open()));
  beforeEach(() => (user = aSession()));
  afterAll(() => world.close());

  const overview = async (query: object = {}) => {
    const answer = await world.get('/api/v1/overview', { ...query }, user);
    expect(answer.status).toBe(200);
    return answer.body as Record<string, never>;
  };
  const link = (changes: object = {}): Promise<string> =>
    world.link({ owner: user.id, ...changes });
  const clicks = (id: string, ...times: number[]): Promise<void> =>
    world.record(
      id,
      times.map((at) => aClick({ at })),
    );

  it('returns only zeros for an account without links', async () => {
    expect(await overview()).toEqual({
      links: { total: 0, active: 0, inactive: 0 },
      clicks: { today: 0, yesterday: 0, last_7_days: 0, previous_7_days: 0, imported_clicks: 0 },
      hot: [],
      attention: [],
    });
  });

  it('counts links by the status that lists return', async () => {
    await link();
    await link({ status: 'INACTIVE' });
    await link({ expire_after: new Date(Date.now() - 1000) });
    await world.link();
    expect((await overview()).links).toEqual({ total: 3, active: 1, inactive: 2 });
  });

  it('counts clicks by days in the time zone, without those of other accounts', async () => {
    const id = await link();
    const { timezone, today } = noonZone();
    await clicks(id, today, today + 1);
    await clicks(id, today - 1, today - DAY, today - DAY - 1);
    await clicks(id, today - 6 * DAY, today - 6 * DAY - 1, today - 13 * DAY, today - 13 * DAY - 1);
    await clicks(await world.link(), today);
    expect((await overview({ timezone })).clicks).toEqual({
      today: 2,
      yesterday: 2,
      last_7_days: 6,
      previous_7_days: 2,
      imported_clicks: 0,
    });
  });

  it('counts only people or only bots on request', async () => {
    const [ann, crawled] = [await link(), await link()];
    const at = Date.now() - 1000;
    await world.record(ann, [aClick({ at })]);
    const bot = aClick({ at, botName: 'Googlebot' });
    await world.record(crawled, [bot, bot]);
    for (const [audience, today, hottest] of [
      [undefined, 3, crawled],
      ['all', 3, crawled],
      ['human', 1, ann],
      ['bot', 2, crawled],
    ] as const) {
      const { clicks: counted, hot } = (await overview({ audience })) as unknown as {
        clicks: { last_7_days: number };
        hot: { id: string }[];
      };
      expect([counted.last_7_days, hot[0]?.id]).toEqual([today, hottest]);
    }
    const { status, body } = await world.get('/api/v1/overview', { audience: 'cats' }, user);
    expect([status, body.field]).toEqual([422, 'audience']);
  });

  it('returns the five links with the most recent clicks, in the format of lists', async () => {
    const now = Date.now();
    const ids: string[] = [];
    for (let n = 1; n <= 6; n++) {
      const id = await link();
      ids.unshift(id);
      await clicks(id, ...Array.from({ length: n }, () => now - 1000));
    }
    const old = await link({ total_clicks: 99 });
    await clicks(old, ...Array.from({ length: 99 }, () => now - 30 * DAY));
    const { hot } = (await overview()) as unknown as { hot: { id: string }[] };
    expect(hot.map(({ id }) => id)).toEqual(ids.slice(0, 5));
    const { body } = await world.get(`/api/v1/urls/${ids[0]}`, {}, user);
    expect(hot[0]).toEqual({ ...body, recent_clicks: 6 });
  });

  it('returns active links that will soon expire or be used up, most urgent first', async () => {
    const at = (ms: number): Date => new Date(Math.floor((Date.now() + ms) / 1000) * 1000);
    const later = await link({ expire_after: at(6 * DAY), alias: 'later' });
    const sooner = await link({ expire_after: at(DAY), alias: 'sooner' });
    await link({ expire_after: at(8 * DAY) });
    await link({ expire_after: at(DAY), status: 'INACTIVE' });
    const full = { max_clicks: 10, slots_taken: 7, open_clicks: 2 };
    const nine = await link({ ...full, alias: 'nine' });
    const most = await link({ max_clicks: 100, slots_taken: 99, alias: 'most' });
    await link({ max_clicks: 100, slots_taken: 89 });
    await link({ ...full, status: 'INACTIVE' });
    await link({ ...full, expire_after: at(-DAY) });
    const { attention } = (await overview()) as unknown as {
      attention: { kind: string; detail: object; url_id: string; alias: string }[];
    };
    expect(attention.map(({ kind, url_id, alias }) => [kind, url_id, alias])).toEqual([
      ['expires_soon', sooner, 'sooner'],
      ['expires_soon', later, 'later'],
      ['limit_near', most, 'most'],
      ['limit_near', nine, 'nine'],
    ]);
    expect(Object.keys(attention[0]!.detail)).toEqual(['expire_after']);
    expect(attention[3]!.detail).toEqual({ used_clicks: 9, max_clicks: 10 });
  });

  it('returns at most ten links of each kind', async () => {
    const soon = new Date(Date.now() + HOUR);
    for (let n = 0; n < 12; n++) {
      await link({ expire_after: soon, max_clicks: 1000, slots_taken: 900 + n });
    }
    const { attention } = (await overview()) as unknown as { attention: { kind: string }[] };
    const kinds = attention.map(({ kind }) => kind);
    expect(kinds).toEqual([
      ...Array<string>(10).fill('expires_soon'),
      ...Array<string>(10).fill('limit_near'),
    ]);
  });

  it('rejects an invalid time zone', async () => {
    const none = await world.get('/api/v1/overview', { timezone: 'Nowhere' }, user);
    expect([none.status, none.body.field]).toEqual([400, 'timezone']);
    const two = await world.get('/api/v1/overview?timezone=UTC&timezone=UTC', {}, user);
    expect(two.status).toBe(422);
  });
});
