import type mongoose from 'mongoose';
import request from 'supertest';
import { ApiClient } from '../../support/api-client';
import { databaseOf } from '../../support/database';
import { storedClickStore } from '../../support/click-store-reading';
import { anAccount } from '../../support/factories/accounts';
import { bearer, visit } from '../../support/http';
import { storedLink } from '../../support/shared/stored-link';
import { eventually, startService, type Service } from '../../support/service';

const UNKNOWN = '0'.repeat(24);

describe("The deletion of a link's clicks", () => {
  let service: Service;
  let owner: ApiClient;
  let database: mongoose.Connection;

  beforeAll(async () => {
    service = await startService();
    database = await databaseOf(service);
  });
  beforeEach(async () => (owner = await ApiClient.on(service)));
  afterAll(async () => {
    await database.close();
    await service.stop();
  });

  const deleteClicks = (id: string) => owner.call('delete', `/api/v1/urls/${id}/clicks`);
  const bulk = (body: object) => owner.call('post', '/api/v1/urls/bulk/delete-clicks', body);
  const visitor = { 'X-Forwarded-For': '198.51.100.7' };
  const clicks = async (id: string): Promise<number> =>
    (await owner.show(id)).body.total_clicks as number;
  const isCounted = (id: string, count: number) =>
    eventually(`${count} clicks are counted`, async () => (await clicks(id)) === count);

  /** Clicks of the link or account as each kind of response shows them. */
  async function figures(id: string, alias: string): Promise<number[]> {
    const summaryOf = async (path: string, query: object): Promise<number[]> => {
      const { body } = await owner.call('get', path).query(query);
      const { summary } = (body.stats ?? body) as { summary: Record<string, number> };
      return [summary.total_clicks ?? -1, summary.unique_clicks ?? -1];
    };
    const list = (await owner.list({ sums: 'true' })).body;
    const overview = (await owner.call('get', '/api/v1/overview')).body;
    return [
      ...(await summaryOf(`/api/v1/stats/links/${id}`, {})),
      ...(await summaryOf('/api/v1/stats', { scope: 'all' })),
      ...(await summaryOf(`/api/v1/public/stats/${alias}`, {})),
      list.total_clicks as number,
      list.items[0].total_clicks as number,
      overview.clicks.last_7_days as number,
    ];
  }

  it('drops recorded and pending clicks, and a later click counts as a new visitor', async () => {
    const { id, alias } = await owner.aLink({ private_stats: false });
    for (let i = 0; i < 3; i++) await visit(service, alias, visitor);
    await isCounted(id, 3);
    expect(await figures(id, alias)).toEqual([3, 1, 3, 1, 3, 1, 3, 3, 3]);
    const before = (await owner.show(id)).body as { updated_at?: unknown };
    await Promise.all(Array.from({ length: 5 }, () => visit(service, alias)));
    const { status, body } = await deleteClicks(id);
    expect([status, body]).toEqual([
      200,
      { message: 'Clicks deleted', id, clicks_deleted_at: expect.any(String) as string },
    ]);
    expect(await figures(id, alias)).toEqual(Array.from({ length: 9 }, () => 0));
    const { clicks_deleted_at } = body as { clicks_deleted_at: string };
    const empty = { ...before, total_clicks: 0, last_click: null, clicks_deleted_at };
    expect((await owner.show(id)).body).toEqual(empty);

    await visit(service, alias, visitor);
    await isCounted(id, 1);
    expect(await figures(id, alias)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1]);
    const again = await deleteClicks(id);
    expect(again.body.clicks_deleted_at > clicks_deleted_at).toBe(true);
    expect(await clicks(id)).toBe(0);
    // In ClickHouse, rows are removed a minute later.
    if (service.clickHouse !== null) return;
    await eventually('the job has ended', async () => {
      return (await storedLink(database, id)).clicks_clearing === undefined;
    });
    expect(await figures(id, alias)).toEqual(Array.from({ length: 9 }, () => 0));
  });

  it('opens a link that its limit has closed, but no link that its owner has closed', async () => {
    const link = await owner.aLink({ max_clicks: 2 });
    for (const status of [302, 302, 410])
      expect((await visit(service, link.alias)).status).toBe(status);
    await deleteClicks(link.id);
    expect((await owner.show(link.id)).body.status).toBe('ACTIVE');
    for (const status of [302, 302, 410])
      expect((await visit(service, link.alias)).status).toBe(status);
    const { id } = await owner.aLink();
    await owner.setStatus(id, 'INACTIVE');
    expect((await deleteClicks(id)).status).toBe(200);
    expect((await owner.show(id)).body.status).toBe('INACTIVE');
  });

  it('of many links succeeds for each link of the account that is not blocked', async () => {
    const [one, blocked] = [await owner.aLink(), await owner.aLink()];
    const foreign = await (await ApiClient.on(service)).aLink();
    await visit(service, one.alias);
    await isCounted(one.id, 1);
    await database
      .collection('links')
      .updateOne(
        { alias: blocked.alias },
        { $set: { blocked: { reason: 'x', by: 'admin', at: new Date() } } },
      );
    expect((await deleteClicks(blocked.id)).status).toBe(403);
    const { status, body } = await bulk({ ids: [one.id, blocked.id, foreign.id, UNKNOWN] });
    expect(status).toBe(200);
    const { results } = body as { results: { error_code: string | null }[] };
    expect(results.map((row) => row.error_code)).toEqual([
      null,
      'forbidden',
      'not_found',
      'not_found',
    ]);
    expect(await clicks(one.id)).toBe(0);
    expect((await owner.show(blocked.id)).body).not.toHaveProperty('clicks_deleted_at');
    const filter = { status: 'ACTIVE' };
    expect((await bulk({ filter, expected: 9 })).body).toMatchObject({ details: { found: 1 } });
    const found = await bulk({ filter, expected: 1 });
    expect(found.body.summary).toEqual({ total: 1, succeeded: 1, failed: 0 });
  });

  it('is refused for malformed, unknown and foreign links, and for unverified accounts', async () => {
    const { id } = await owner.aLink();
    const stranger = await ApiClient.on(service);
    const reader = await owner.withKey('urls:read');
    const path = `/api/v1/urls/${id}/clicks`;
    const statuses = [
      await deleteClicks('x'),
      await deleteClicks(UNKNOWN),
      await stranger.call('delete', path),
      await reader.call('delete', path),
      await owner.call('post', path, {}),
    ].map(({ status }) => status);
    expect(statuses).toEqual([400, 404, 403, 403, 405]);
    const { accessToken } = await anAccount(service);
    const unverified = await request(service.url).delete(path).set(bearer(accessToken));
    expect([unverified.status, unverified.body]).toMatchObject([
      ...[403, { code: 'email_not_verified' }],
    ]);
    expect((await owner.show(id)).body).not.toHaveProperty('clicks_deleted_at');
  });

  it('leaves no trace of a link that is deleted at the same time', async () => {
    const { id, alias } = await owner.aLink();
    await visit(service, alias);
    const answers = await Promise.all([deleteClicks(id), deleteClicks(id), owner.remove(id)]);
    expect(answers[2].status).toBe(200);
    for (const { status } of answers.slice(0, 2)) expect([200, 404]).toContain(status);
    await eventually('no click store is left', async () => {
      return (await storedClickStore(database, id)) === null;
    });
  });
});
