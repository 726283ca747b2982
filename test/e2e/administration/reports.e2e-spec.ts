import { type Connection, Types } from 'mongoose';
import request from 'supertest';
import { databaseOf } from '../../support/database';
import {
  ADMIN_EMAIL,
  anAdmin,
  aVerifiedAccount,
  type TestAccount,
  WITH_ADMIN,
} from '../../support/factories/accounts';
import { aLink, type MadeLink } from '../../support/factories/links';
import { reportsOf } from '../../support/factories/reports';
import { anAddress, bearer, post, visit } from '../../support/http';
import { mailsTo } from '../../support/outbox';
import { eventually, type Service, startService } from '../../support/service';

const UNKNOWN = 'f'.repeat(24);
const DAY_MS = 86_400_000;

interface ReportBody {
  readonly id: string;
  readonly url: { readonly id: string } | null;
}

describe('Reports, as shown to admins', () => {
  let service: Service;
  let database: Connection;
  let admin: TestAccount;
  let reporter: TestAccount;
  beforeAll(async () => {
    service = await startService({ env: { ...WITH_ADMIN, WEB_CONCURRENCY: '2' } });
    database = await databaseOf(service);
    admin = await anAdmin(service);
    reporter = await aVerifiedAccount(service);
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
  });

  const asAdmin = (method: 'get' | 'post', path: string, body?: object) =>
    request(service.url)
      [method](`/api/v1/admin/reports${path}`)
      .set({ 'X-Forwarded-For': anAddress(), ...bearer(admin.accessToken) })
      .send(body);

  async function report({ alias }: MadeLink, more: object = {}, as?: TestAccount): Promise<void> {
    const items = [{ code_or_url: alias, reason: 'phishing', ...more }];
    const answer = await post(service, '/api/v1/reports', {
      items,
      reporter_email: 'eve@example.com',
      reporter_org: 'Acme',
    }).set(as === undefined ? {} : bearer(as.accessToken));
    expect(answer.body).toMatchObject({ accepted: 1, rejected: [] });
  }

  async function aReport(more: object = {}): Promise<{ link: MadeLink; id: string }> {
    const link = await aLink(service);
    await report(link, more);
    const [stored] = await reportsOf(database, link.id);
    return { link, id: String(stored?._id) };
  }

  const trailOf = async (subject: string) => {
    const answer = await request(service.url)
      .get('/api/v1/admin/trail')
      .query({ subject })
      .set({ 'X-Forwarded-For': anAddress(), ...bearer(admin.accessToken) });
    return (answer.body as { items: object[] }).items;
  };

  it('contain the link, the number of reports, the reasons, and the newest texts', async () => {
    const link = await aLink(service, { long_url: 'https://evil.example/login' });
    for (let i = 0; i < 24; i++) await report(link, { details: `text ${i}`, vector: 'sms' });
    await report(link, { reason: 'malware', details: '<b>last</b>' }, reporter);
    const [stored] = await reportsOf(database, link.id);
    const answer = await asAdmin('get', `/${String(stored?._id)}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      id: String(stored?._id),
      state: 'open',
      count: 25,
      reasons: { phishing: 24, malware: 1 },
      first_at: stored?.first_at.toISOString(),
      last_at: stored?.last_at.toISOString(),
      url: {
        id: link.id,
        long_url: 'https://evil.example/login',
        status: 'ACTIVE',
        owner: null,
        open_reports: 25,
      },
      closed: null,
    });
    const { entries } = answer.body as { entries: object[] };
    expect(entries).toHaveLength(20);
    expect(entries.slice(0, 2)).toEqual([
      {
        ...{ at: stored?.last_at.toISOString(), reason: 'malware', details: '<b>last</b>' },
        ...{ vector: null, reporter_email: 'eve@example.com', reporter_org: 'Acme' },
        account: { id: reporter.userId, email: reporter.email },
      },
      expect.objectContaining({ details: 'text 23', vector: 'sms', account: null }),
    ]);
  });

  it('are closed when their link is blocked, with the most frequent reason', async () => {
    const { link, id } = await aReport({ reason: 'malware' });
    await report(link, { reason: 'malware' });
    await report(link, { reason: 'spam' });
    const answer = await asAdmin('post', `/${id}/block`);
    expect([answer.status, answer.body]).toMatchObject([
      200,
      {
        state: 'blocked',
        url: { status: 'BLOCKED', blocked: { reason: 'malware' }, open_reports: 0 },
        closed: { by: admin.userId, reason: 'malware', at: expect.stringMatching(/Z$/) as string },
      },
    ]);
    await eventually('all processes know it', async () => {
      const statuses = [1, 2, 3, 4].map(async () => (await visit(service, link.alias)).status);
      return (await Promise.all(statuses)).every((status) => status === 410);
    });
    expect(await trailOf(id)).toMatchObject([
      {
        act: 'report.block',
        actor: { id: admin.userId, via: 'app', email: ADMIN_EMAIL },
        subject: { kind: 'report', id, alias: link.alias },
        reason: 'malware',
        before: { state: 'open' },
        after: { state: 'blocked' },
      },
    ]);
    expect(await trailOf(link.id)).toMatchObject([{ act: 'url.block', reason: 'malware' }]);

    // The service accepts another report but adds no entry.
    await eventually('the process that takes reports knows it', async () => {
      const count = async () => (await reportsOf(database, link.id)).length;
      const before = await count();
      await report(link);
      return (await count()) === before;
    });
    for (const act of ['block', 'dismiss']) {
      const again = await asAdmin('post', `/${id}/${act}`, { reason: 'again' });
      expect([again.status, again.body]).toMatchObject([409, { code: 'conflict' }]);
    }
    expect(await trailOf(id)).toHaveLength(1);
  });

  it('can be dismissed, and the next report opens a new one', async () => {
    const { link, id } = await aReport();
    const answer = await asAdmin('post', `/${id}/dismiss`, { reason: ' A mistake ' });
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { state: 'dismissed', url: { status: 'ACTIVE' }, closed: { reason: 'A mistake' } },
    ]);
    expect(await trailOf(id)).toMatchObject([{ act: 'report.dismiss', reason: 'A mistake' }]);
    expect((await visit(service, link.alias)).status).toBe(302);
    await report(link);
    const states = (await reportsOf(database, link.id)).map(({ state, count }) => [state, count]);
    expect(states.sort()).toEqual([
      ['dismissed', 1],
      ['open', 1],
    ]);
  });

  it('are closed once for many concurrent requests', async () => {
    const { id } = await aReport();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => asAdmin('post', `/${id}/dismiss`)),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 409)]);
    expect(await trailOf(id)).toHaveLength(1);
  });

  it('of a deleted link can be dismissed, but the link cannot be blocked', async () => {
    const { link, id } = await aReport();
    await database.collection('links').deleteOne({ _id: new Types.ObjectId(link.id) });
    expect((await asAdmin('get', `/${id}`)).body).toMatchObject({ url: null, state: 'open' });
    expect((await asAdmin('post', `/${id}/block`)).status).toBe(409);
    expect((await asAdmin('post', `/${id}/dismiss`)).body).toMatchObject({
      state: 'dismissed',
      url: null,
      closed: { reason: null },
    });
  });

  it('are listed by state, newest first', async () => {
    const all = [];
    for (let i = 0; i < 3; i++) all.push(await aReport());
    const newest = all.map(({ id }) => id).reverse();
    const list = async (query: object) => {
      const answer = await asAdmin('get', '').query(query);
      expect(answer.status).toBe(200);
      return answer.body as { items: ReportBody[]; total: number; hasNext: boolean };
    };
    const open = await list({ pageSize: 2 });
    expect(open.items.map(({ id }) => id)).toEqual(newest.slice(0, 2));
    expect(open).toMatchObject({ page: 1, pageSize: 2, hasNext: true });
    expect((await list({ pageSize: 2, page: 2 })).items[0]?.id).toBe(newest[2]);
    await asAdmin('post', `/${newest[0]}/dismiss`);
    expect((await list({})).items[0]?.id).toBe(newest[1]);
    expect((await list({})).total).toBe(open.total - 1);
    expect((await list({ state: 'dismissed' })).items[0]?.id).toBe(newest[0]);
    expect((await list({ state: 'all' })).items[0]?.id).toBe(newest[0]);
    expect((await list({ state: 'blocked' })).items[0]?.id).not.toBe(newest[0]);
  });

  it.each([
    ['get', '?state=closed', 422],
    ['get', `/${UNKNOWN}`, 404],
    ['post', `/${UNKNOWN}/block`, 404],
    ['post', '/nothing/dismiss', 400],
  ] as const)('%s %s returns %d', async (method, path, status) => {
    expect((await asAdmin(method, path)).status).toBe(status);
  });

  it('need no reason, but reject an unreadable one', async () => {
    const { id } = await aReport();
    for (const reason of ['', ' ', 'x'.repeat(501), 5]) {
      for (const act of ['block', 'dismiss']) {
        const answer = await asAdmin('post', `/${id}/${act}`, { reason });
        expect([answer.status, answer.body]).toMatchObject([422, { field: 'reason' }]);
      }
    }
    expect((await asAdmin('get', `/${id}`)).body).toMatchObject({ state: 'open' });
  });

  it('are sent to the admins in one email per hour', async () => {
    const own = await startService({ env: WITH_ADMIN });
    try {
      await anAdmin(own);
      const links = await Promise.all([1, 2, 3].map(() => aLink(own)));
      const items = links.map(({ alias }) => ({ code_or_url: alias, reason: 'spam' }));
      const told = () =>
        mailsTo(own, ADMIN_EMAIL)
          .map((mail) => mail.replace(/=\r\n/g, ''))
          .filter((mail) => mail.includes('reported at'));
      await post(own, '/api/v1/reports', { items: items.slice(0, 2) });
      await eventually('an email is there', () => told().length === 1);
      expect(told()[0]).toMatch(/2 links were reported at Curtail\. Open reports: 2\./);
      await post(own, '/api/v1/reports', { items });
      const collection = await databaseOf(own);
      const untold = () => collection.collection('reports').countDocuments({ untold: true });
      expect(await untold()).toBe(1);
      expect(told()).toHaveLength(1);
      const other = await aLink(own);
      await post(own, '/api/v1/reports', { items: [{ code_or_url: other.alias, reason: 'spam' }] });
      expect(await untold()).toBe(2);
      // After an hour, the next check, within a minute, sends an email about both reports.
      await collection
        .collection<{ _id: string }>('settings')
        .updateOne({ _id: 'report_mail' }, { $set: { until: new Date(0) } });
      await eventually('the next email is there', () => told().length === 2);
      await eventually('all are told', async () => (await untold()) === 0);
      await collection.close();
    } finally {
      await own.stop();
    }
  });

  it("lose the reporter's data 30 days after they are closed", async () => {
    const { id } = await aReport({ details: 'Call 555-0100' });
    await asAdmin('post', `/${id}/dismiss`);
    const reports = database.collection('reports');
    const _id = new Types.ObjectId(id);
    const stored = await reports.findOne({ _id });
    const closedAt = (stored?.closed as { at: Date }).at.getTime();
    expect((stored?.forget_at as Date).getTime() - closedAt).toBe(30 * DAY_MS);
    expect(JSON.stringify((await asAdmin('get', `/${id}`)).body)).toContain('555-0100');
    await reports.updateOne({ _id }, { $set: { forget_at: new Date(Date.now() - 1) } });
    expect((await asAdmin('get', `/${id}`)).body).toMatchObject({
      count: 1,
      entries: [{ details: null, reporter_email: null, reporter_org: null, account: null }],
    });
  });
});
