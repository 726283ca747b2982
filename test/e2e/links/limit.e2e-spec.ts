import mongoose from 'mongoose';
import { aLink } from '../../support/factories/links';
import { shorten, visit } from '../../support/http';
import { databaseOf, totalClicks } from '../../support/database';
import { ApiClient } from '../../support/api-client';
import { eventually, startService, type Service } from '../../support/service';

describe('the click limit of a link', () => {
  let service: Service;
  let owner: ApiClient;

  beforeAll(async () => {
    service = await startService({ env: { WEB_CONCURRENCY: '2' } });
  });
  beforeEach(async () => {
    owner = await ApiClient.on(service);
  });
  afterAll(() => service.stop());

  const redirected = async (alias: string, visits: number): Promise<number> => {
    const answers = await Promise.all(Array.from({ length: visits }, () => visit(service, alias)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status !== 302 && status !== 410)).toEqual([]);
    return statuses.filter((status) => status === 302).length;
  };
  const reported = async (id: string): Promise<string> => (await owner.show(id)).body.status;

  it('can be as large as numbers are exact', async () => {
    const link = await owner.aLink({ max_clicks: Number.MAX_SAFE_INTEGER });
    expect((await owner.show(link.id)).body.max_clicks).toBe(9_007_199_254_740_991);
    for (const text of ['9007199254740993', '9007199254740992', '1e308']) {
      const made = await shorten(
        service,
        `{"long_url":"https://example.com/","max_clicks":${text}}`,
      );
      expect([text, made.status, made.body.field]).toEqual([text, 422, 'max_clicks']);
    }
  });

  it('closes the link after its last click, for all visitors', async () => {
    const link = await owner.aLink({ max_clicks: 3 });
    expect(await redirected(link.alias, 12)).toBe(3);
    expect(await reported(link.id)).toBe('INACTIVE');
  });

  it('reopens the link if it is raised, for the additional clicks', async () => {
    const link = await owner.aLink({ max_clicks: 2 });
    expect(await redirected(link.alias, 5)).toBe(2);
    const { body } = await owner.update(link.id, { max_clicks: 5 });
    expect(body).toMatchObject({ status: 'ACTIVE', max_clicks: 5 });
    expect(await redirected(link.alias, 9)).toBe(3);
  });

  it.each([0, null])('reopens the link if it is removed by %j', async (none) => {
    const link = await owner.aLink({ max_clicks: 1 });
    expect(await redirected(link.alias, 2)).toBe(1);
    const { body } = await owner.update(link.id, { max_clicks: none });
    expect(body).toMatchObject({ status: 'ACTIVE', max_clicks: null });
    expect(await redirected(link.alias, 4)).toBe(4);
  });

  it('keeps the link closed if the same request sets INACTIVE, or if the link was paused earlier', async () => {
    const link = await owner.aLink({ max_clicks: 1 });
    expect(await redirected(link.alias, 2)).toBe(1);
    const both = await owner.update(link.id, { max_clicks: 3, status: 'INACTIVE' });
    expect(both.body).toMatchObject({ status: 'INACTIVE', max_clicks: 3 });
    const again = await owner.update(link.id, { max_clicks: 9 });
    expect(again.body.status).toBe('INACTIVE');
    expect(await redirected(link.alias, 2)).toBe(0);
  });

  it('closes the link immediately if it is lowered to the counted clicks or below', async () => {
    for (const limit of [2, 1]) {
      const link = await owner.aLink({ max_clicks: 10 });
      expect(await redirected(link.alias, 2)).toBe(2);
      const { body } = await owner.update(link.id, { max_clicks: limit });
      expect(body).toMatchObject({ status: 'INACTIVE', max_clicks: limit });
      expect(await redirected(link.alias, 3)).toBe(0);
      const raised = await owner.update(link.id, { max_clicks: 3 });
      expect(raised.body.status).toBe('ACTIVE');
      expect(await redirected(link.alias, 3)).toBe(1);
    }
  });

  it('includes all clicks that an unlimited link had before', async () => {
    const link = await owner.aLink();
    expect(await redirected(link.alias, 7)).toBe(7);
    const { body } = await owner.update(link.id, { max_clicks: 9 });
    expect(body).toMatchObject({ status: 'ACTIVE', max_clicks: 9 });
    expect(await redirected(link.alias, 6)).toBe(2);
    const another = await owner.aLink();
    expect(await redirected(another.alias, 4)).toBe(4);
    const closed = await owner.update(another.id, { max_clicks: 4 });
    expect(closed.body).toMatchObject({ status: 'INACTIVE', max_clicks: 4 });
    expect(await redirected(another.alias, 3)).toBe(0);
  });

  it('accepts ACTIVE on a link at its limit, but the next visit returns 410 and closes it again', async () => {
    const link = await owner.aLink({ max_clicks: 1 });
    expect(await redirected(link.alias, 1)).toBe(1);
    const { body } = await owner.setStatus(link.id, 'ACTIVE');
    expect(body.status).toBe('ACTIVE');
    expect(await redirected(link.alias, 1)).toBe(0);
    expect(await reported(link.id)).toBe('INACTIVE');
    const raised = await owner.update(link.id, { max_clicks: 2 });
    expect(raised.body.status).toBe('ACTIVE');
  });

  it('never allows more than the new limit if it is raised during many visits', async () => {
    const link = await owner.aLink({ max_clicks: 10 });
    const burst = redirected(link.alias, 120);
    for (const limit of [20, 15, 40]) await owner.update(link.id, { max_clicks: limit });
    const first = await burst;
    const rest = await redirected(link.alias, 60);
    expect(first + rest).toBe(40);
    const database = await databaseOf(service);
    await eventually('all are recorded', async () => (await totalClicks(database, link.id)) === 40);
    await database.close();
  });

  it('allows exactly the limit if it is set for the first time during many visits', async () => {
    const link = await owner.aLink();
    let going = true;
    let passed = 0;
    const visitor = async (): Promise<void> => {
      while (going) if ((await visit(service, link.alias)).status === 302) passed++;
    };
    const visitors = Array.from({ length: 8 }, visitor);
    await eventually('the burst is under way', () => passed > 20);
    const limit = passed + 200;
    const { status } = await owner.update(link.id, { max_clicks: limit });
    expect(status).toBe(200);
    await eventually('the link is used up', async () => (await reported(link.id)) === 'INACTIVE');
    going = false;
    await Promise.all(visitors);
    expect(passed).toBe(limit);
  });

  it('also applies to anonymous links', async () => {
    const link = await aLink(service, { max_clicks: 4 });
    expect(await redirected(link.alias, 16)).toBe(4);
  });

  describe('excluding previews and bots', () => {
    const PERSON = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const AUTOMATIC: Record<string, string>[] = [
      { 'User-Agent': 'WhatsApp/2.23.20.0' },
      { 'User-Agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
      { 'User-Agent': PERSON, 'Sec-Purpose': 'prefetch;prerender' },
      { 'User-Agent': 'curl/8.4.0', 'X-Moz': 'prefetch' },
      { 'User-Agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' },
    ];
    const statuses = async (alias: string, visits: Record<string, string>[]): Promise<number[]> =>
      (await Promise.all(visits.map((headers) => visit(service, alias, headers)))).map(
        ({ status }) => status,
      );
    const fifty = Array.from({ length: 10 }, () => AUTOMATIC).flat();
    const people = (count: number) =>
      Array.from({ length: count }, () => ({ 'User-Agent': PERSON }));
    const passed = (all: number[]): number => all.filter((status) => status === 302).length;
    const recorded = async (id: string, clicks: number) => {
      const database = await databaseOf(service);
      await eventually(
        'all are recorded',
        async () => (await totalClicks(database, id)) === clicks,
      );
      const link = await database
        .collection('links')
        .findOne({ _id: new mongoose.Types.ObjectId(id) });
      await database.close();
      return { slots: link?.slots_taken as number, open: link?.open_clicks as number };
    };

    it('redirects exactly the allowed number of 500 concurrent visitors, with previews at any time', async () => {
      const link = await owner.aLink({ max_clicks: 10, count_bots: false });
      expect(link).toMatchObject({ count_bots: false });
      expect(passed(await statuses(link.alias, fifty))).toBe(50);
      expect((await owner.call('get', '/api/v1/overview')).body.attention).toEqual([]);
      const [among, all] = await Promise.all([
        statuses(link.alias, fifty),
        statuses(link.alias, people(500)),
      ]);
      expect(passed(all)).toBe(10);
      expect([...new Set(all)].sort()).toEqual([302, 410]);
      expect(await statuses(link.alias, AUTOMATIC)).toEqual([410, 410, 410, 410, 410]);
      expect(await reported(link.id)).toBe('INACTIVE');
      expect(await recorded(link.id, 60 + passed(among))).toEqual({ slots: 10, open: 0 });
      const { body } = await owner.call('get', `/api/v1/stats/links/${link.id}`).query({
        group_by: 'audience',
      });
      const counts = body.metrics.clicks_by_audience as { audience: string; clicks: number }[];
      expect(counts.find(({ audience }) => audience === 'human')?.clicks).toBe(10);
    });

    it('keeps counted previews, and counts later previews if they count again', async () => {
      const link = await owner.aLink({ max_clicks: 12 });
      expect(passed(await statuses(link.alias, AUTOMATIC))).toBe(5);
      expect((await owner.update(link.id, { count_bots: false })).body.count_bots).toBe(false);
      expect(passed(await statuses(link.alias, fifty))).toBe(50);
      expect((await owner.update(link.id, { count_bots: null })).body.count_bots).toBe(false);
      expect((await owner.update(link.id, { count_bots: true })).body.count_bots).toBe(true);
      expect(passed(await statuses(link.alias, AUTOMATIC))).toBe(5);
      expect(passed(await statuses(link.alias, people(9)))).toBe(2);
      expect(await recorded(link.id, 62)).toEqual({ slots: 12, open: 0 });
    });

    it('excludes previews and bots from a limit that is set later', async () => {
      const link = await owner.aLink({ count_bots: false });
      expect(passed(await statuses(link.alias, fifty))).toBe(50);
      expect(passed(await statuses(link.alias, people(3)))).toBe(3);
      const limited = await owner.update(link.id, { max_clicks: 5 });
      expect(limited.body).toMatchObject({ status: 'ACTIVE', count_bots: false });
      expect(passed(await statuses(link.alias, people(4)))).toBe(2);
      expect(await recorded(link.id, 55)).toEqual({ slots: 2, open: 3 });
    });

    it('requires an account, and a boolean', async () => {
      const body = { long_url: 'https://example.com/', count_bots: false };
      const anonymous = await shorten(service, body);
      expect([anonymous.status, anonymous.body.field]).toEqual([401, 'count_bots']);
      expect((await shorten(service, { ...body, count_bots: true })).body.count_bots).toBe(true);
      const link = await owner.aLink();
      for (const count_bots of ['false', 0, {}, []]) {
        const made = await shorten(service, { ...body, count_bots });
        const changed = await owner.update(link.id, { count_bots });
        for (const { status, body: refusal } of [made, changed]) {
          expect([status, refusal.field]).toEqual([422, 'count_bots']);
        }
      }
    });
  });
});
