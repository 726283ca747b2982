import request from 'supertest';
import {
  ADMIN_EMAIL,
  anAdmin,
  aVerifiedAccount,
  type TestAccount,
  WITH_ADMIN,
} from '../../support/factories/accounts';
import { anAddress, bearer, post, shorten, visit } from '../../support/http';
import { mailsTo } from '../../support/outbox';
import { eventually, type Service, startService } from '../../support/service';

interface Made {
  readonly id: string;
  readonly alias: string;
}

const UNKNOWN = 'f'.repeat(24);

describe('Blocked links', () => {
  let service: Service;
  let admin: TestAccount;
  let owner: TestAccount;
  beforeAll(async () => {
    service = await startService({ env: { ...WITH_ADMIN, WEB_CONCURRENCY: '2' } });
    admin = await anAdmin(service);
    owner = await aVerifiedAccount(service);
  });
  afterAll(() => service.stop());

  type Method = 'get' | 'post' | 'patch' | 'delete';
  const call = (method: Method, path: string, token: string, body?: object) =>
    request(service.url)
      [method](path)
      .set({ 'X-Forwarded-For': anAddress(), ...bearer(token) })
      .send(body);
  const asAdmin = (method: Method, path: string, body?: object) =>
    call(method, `/api/v1/admin${path}`, admin.accessToken, body);
  const asOwner = (method: Method, path: string, body?: object) =>
    call(method, path, owner.accessToken, body);

  async function aLink(more: object = {}): Promise<Made> {
    const long_url = `https://example.com/${Math.random()}`;
    const answer = await asOwner('post', '/api/v1/shorten', { long_url, ...more });
    expect(answer.status).toBe(201);
    return answer.body as Made;
  }

  const block = (id: string, reason = 'Phishing') =>
    asAdmin('post', `/urls/${id}/block`, { reason });

  it('are closed to all visitors immediately, and unchanged after they are unblocked', async () => {
    const { id, alias } = await aLink({ private_stats: false });
    for (let i = 0; i < 4; i++) expect((await visit(service, alias)).status).toBe(302);
    const blocked = await block(id);
    expect(blocked.status).toBe(200);
    expect(blocked.body).toMatchObject({
      id,
      status: 'BLOCKED',
      blocked: { reason: 'Phishing', at: expect.stringMatching(/Z$/) },
      owner: { id: owner.userId, email: owner.email },
      destination_hosts: ['example.com'],
      list_exempt: false,
    });
    await eventually(async () => (await visit(service, alias)).status === 410);
    // Makes several requests, because both processes accept connections.
    for (let i = 0; i < 8; i++) {
      const answer = await visit(service, alias);
      expect([answer.status, answer.body.code]).toEqual([410, 'gone']);
    }
    const page = await request(service.url).get(`/${alias}`).set('Accept', 'text/html');
    expect([page.status, page.text]).toEqual([410, expect.stringContaining('This link is closed')]);
    for (const path of [`/${alias}+`, `/${alias}/qr.svg`, `/${alias}/qr.png`]) {
      expect([path, (await request(service.url).get(path)).status]).toEqual([path, 410]);
    }
    expect((await request(service.url).get(`/result/${alias}`)).status).toBe(404);
    const preview = await request(service.url).get(`/api/v1/public/preview/${alias}`);
    expect(preview.body).toMatchObject({ status: 'blocked', destination: null });

    const unblocked = await asAdmin('post', `/urls/${id}/unblock`);
    expect([unblocked.status, unblocked.body.status]).toEqual([200, 'ACTIVE']);
    expect(unblocked.body).not.toHaveProperty('blocked');
    await eventually(async () => (await visit(service, alias)).status === 302);
    for (let i = 0; i < 4; i++) expect((await visit(service, alias)).status).toBe(302);
  });

  it('ask for no password, use no click and count none', async () => {
    const guarded = await aLink({ password: 'Tulips@2030' });
    const limited = await aLink({ max_clicks: 1 });
    for (const { id } of [guarded, limited]) await block(id);
    for (const { id, alias } of [guarded, limited]) {
      await eventually(async () => (await visit(service, alias)).status === 410);
      const form = await post(service, `/${alias}/password`).type('form').send('password=x');
      expect(form.status).toBe(410);
      await asAdmin('post', `/urls/${id}/unblock`, { reason: 'A mistake' });
    }
    await eventually(async () => (await visit(service, guarded.alias)).status === 401);
    await eventually(async () => (await visit(service, limited.alias)).status === 302);
    await eventually(async () => {
      const { body } = await asOwner('get', `/api/v1/urls/${limited.id}`);
      return body.total_clicks === 1;
    });
    expect((await visit(service, limited.alias)).status).toBe(410);
  });

  it('are visible to their owners, who can neither change nor delete them', async () => {
    const { id, alias } = await aLink();
    const other = await aLink();
    await block(id, '  Malware  ');
    const shown = { status: 'BLOCKED', blocked: { reason: 'Malware', at: expect.any(String) } };
    expect((await asOwner('get', `/api/v1/urls/${id}`)).body).toMatchObject(shown);
    const list = (status: string) =>
      asOwner('get', `/api/v1/urls?filter=${JSON.stringify({ status, search: alias })}`);
    await eventually(async () => (await list('BLOCKED')).body.total === 1);
    expect((await list('BLOCKED')).body.items).toMatchObject([{ id, ...shown }]);
    for (const status of ['ACTIVE', 'INACTIVE']) expect((await list(status)).body.total).toBe(0);
    const file = await asOwner('get', '/api/v1/urls/export?format=csv');
    expect(file.text).toContain('Malware');
    expect(file.text.split('\n')[0]).toMatch(
      /,blocked,imported_clicks,clicks_deleted_at,paused\r?$/,
    );

    const path = `/api/v1/urls/${id}`;
    const refusals = [
      await asOwner('patch', path, { title: 'Mine' }),
      await asOwner('patch', `${path}/status`, { status: 'INACTIVE' }),
      await asOwner('delete', path),
    ];
    for (const { status, body } of refusals)
      expect([status, body.code]).toEqual([403, 'forbidden']);
    const bulk: [string, object][] = [
      ['status', { status: 'INACTIVE' }],
      ['expiry', { expire_after: null }],
      ['update', { set: { title: 'Mine' } }],
      ['delete', {}],
    ];
    for (const [what, body] of bulk) {
      const ids = [id, other.id];
      const { body: answer } = await asOwner('post', `/api/v1/urls/bulk/${what}`, { ids, ...body });
      expect([what, answer.results]).toMatchObject([
        what,
        [
          { id, alias, ok: false, error_code: 'forbidden' },
          { id: other.id, ok: true },
        ],
      ]);
    }
    await asAdmin('post', `/urls/${id}/unblock`);
    expect((await asOwner('get', path)).body).toMatchObject({ status: 'ACTIVE', title: null });
  });

  it("are announced to their owners by email, and come first in the owners' overview", async () => {
    const other = await aVerifiedAccount(service);
    const make = async () => {
      const body = { long_url: `https://example.com/${Math.random()}` };
      return (await call('post', '/api/v1/shorten', other.accessToken, body)).body as Made & {
        short_url: string;
      };
    };
    const [one, two] = [await make(), await make()];
    for (const { id } of [one, two]) await block(id, 'Phishing kit');
    const overview = await call('get', '/api/v1/overview', other.accessToken);
    expect(overview.body.attention).toEqual([
      {
        kind: 'blocked',
        count: 2,
        links: [two, one].map(({ id, alias, short_url }) => ({ id, alias, short_url })),
      },
    ]);
    const mails = () =>
      mailsTo(service, other.email).filter((mail) =>
        mail.includes('Subject: 2 links were blocked'),
      );
    await eventually('the email arrives', () => mails().length > 0);
    expect(mails()).toHaveLength(1);
    for (const text of ['Phishing kit', one.alias, two.alias]) expect(mails()[0]).toContain(text);
  });

  it('keep their statistics, which reveal the destination only to the owner', async () => {
    const { id, alias } = await aLink({ private_stats: false });
    await block(id);
    const path = `/api/v1/public/stats/${alias}`;
    const anybody = await request(service.url).get(path);
    expect(anybody.body.link).toMatchObject({ status: 'blocked', long_url: null });
    const own = await asOwner('get', path);
    expect(own.body.link).toMatchObject({
      status: 'blocked',
      long_url: expect.stringContaining('https://example.com/'),
    });
    const v0 = await post(service, `/stats/${alias}`).type('form').send('');
    expect(v0.body).toMatchObject({ url: '' });
  });

  it('are recorded in the trail, once per action', async () => {
    const { id, alias } = await aLink();
    await block(id, 'Spam');
    const first = (await block(id, 'Spam')).body as { blocked: object };
    expect((await block(id, 'Fraud')).body.blocked).toEqual({ ...first.blocked, reason: 'Fraud' });
    await asAdmin('post', `/urls/${id}/unblock`, { reason: 'A mistake' });
    await asAdmin('post', `/urls/${id}/unblock`);
    const gone = await asAdmin('delete', `/urls/${id}?reason=Old`);
    expect(gone.body).toEqual({ message: 'URL deleted', id });
    expect((await asAdmin('delete', `/urls/${id}`)).status).toBe(404);
    const { body } = await asAdmin('get', `/trail?subject=${id}`);
    const entry = (act: string, reason: string, before: string, after: string | null) => ({
      actor: { id: admin.userId, via: 'app', email: ADMIN_EMAIL },
      act,
      subject: { kind: 'url', id, alias },
      reason,
      before: { status: before },
      after: after && { status: after },
    });
    expect(body.items).toMatchObject([
      entry('url.delete', 'Old', 'ACTIVE', null),
      entry('url.unblock', 'A mistake', 'BLOCKED', 'ACTIVE'),
      entry('url.block', 'Fraud', 'BLOCKED', 'BLOCKED'),
      entry('url.block', 'Spam', 'ACTIVE', 'BLOCKED'),
    ]);
    expect(body.total).toBe(4);
  });

  it('can be found by admins among the links of all accounts', async () => {
    const long_url = 'https://user@Shop.Example.ORG:8443/Cart?x=1';
    const wanted = await aLink({ long_url, alias: 'needle-in-hay' });
    const anonymous = await shorten(service, { long_url: 'https://notexample.org/' });
    await block(wanted.id);
    const idsOf = async (query: string): Promise<string[]> => {
      const { status, body } = await asAdmin('get', `/urls?pageSize=100&${query}`);
      expect([query, status]).toEqual([query, 200]);
      expect(body.total).toBe(body.items.length);
      return (body.items as Made[]).map(({ id }) => id);
    };
    for (const query of [
      'search=EDLE-IN',
      'search=example.org:8443/cart?x'.replace('?', '%3F'),
      'host=shop.example.org',
      'host=Example.Org.',
      `owner=${owner.userId}&search=needle`,
      `owner=${owner.email.toUpperCase()}&search=needle`,
      'status=BLOCKED&search=needle',
    ]) {
      expect([query, await idsOf(query)]).toEqual([query, [wanted.id]]);
    }
    for (const query of [
      'search=needle.in',
      'status=ACTIVE&search=needle',
      'status=INACTIVE&search=needle',
      'status=EXPIRED&search=needle',
      'host=hop.example.org',
      `owner=${admin.userId}&search=needle`,
      'owner=nobody',
    ]) {
      expect([query, await idsOf(query)]).toEqual([query, []]);
    }
    expect(await idsOf('status=BLOCKED')).toContain(wanted.id);
    // Ids that two processes create within a second have no defined order.
    const newest = (await idsOf('')).slice(0, 2);
    expect(newest.sort()).toEqual([anonymous.body.id as string, wanted.id].sort());
    const read = await asAdmin('get', `/urls/${anonymous.body.id as string}`);
    expect(read.body).toMatchObject({ owner: null, destination_hosts: ['notexample.org'] });
  });

  it('can be blocked, unblocked and deleted in bulk', async () => {
    const links = [await aLink(), await aLink()];
    const anonymous = (await shorten(service, { long_url: 'https://example.net/' })).body as Made;
    const ids = [...links.map(({ id }) => id), anonymous.id, UNKNOWN];
    const rows = [...links, anonymous].map(({ id, alias }) => ({
      ...{ id, alias, ok: true, error_code: null, error: null },
    }));
    const unknown = { id: UNKNOWN, alias: null, ok: false, error_code: 'not_found' };
    for (const [what, body] of [
      ['block', { reason: 'Spam' }],
      ['unblock', {}],
      ['delete', { reason: 'Spam' }],
    ] as const) {
      const answer = await asAdmin('post', `/urls/bulk/${what}`, { ids, ...body });
      expect([what, answer.status, answer.body]).toMatchObject([
        what,
        200,
        { summary: { total: 4, succeeded: 3, failed: 1 }, results: [...rows, unknown] },
      ]);
    }
    for (const { id } of links) {
      expect((await asAdmin('get', `/trail?subject=${id}`)).body.total).toBe(3);
    }
  });

  it('return the errors in the contract for invalid input', async () => {
    const { id } = await aLink();
    const cases: [number, Method, string, object?][] = [
      [422, 'post', `/urls/${id}/block`, {}],
      [422, 'post', `/urls/${id}/block`, { reason: '   ' }],
      [422, 'post', `/urls/${id}/block`, { reason: 'x'.repeat(501) }],
      [422, 'post', `/urls/${id}/unblock`, { reason: 7 }],
      [422, 'post', '/urls/bulk/block', { ids: [], reason: 'x' }],
      [422, 'post', '/urls/bulk/block', { ids: Array(101).fill(id), reason: 'x' }],
      [422, 'post', '/urls/bulk/block', { ids: [id] }],
      [422, 'delete', `/urls/${id}?reason=`],
      [422, 'get', '/urls?status=CLOSED'],
      [422, 'get', `/urls?search=${'x'.repeat(501)}`],
      [400, 'post', '/urls/x/block', { reason: 'x' }],
      [400, 'post', '/urls/bulk/delete', { ids: ['x'] }],
      [400, 'get', '/urls/x'],
      [404, 'post', `/urls/${UNKNOWN}/block`, { reason: 'x' }],
      [404, 'post', `/urls/${UNKNOWN}/unblock`],
      [404, 'delete', `/urls/${UNKNOWN}`],
      [404, 'get', `/urls/${UNKNOWN}`],
      [200, 'post', `/urls/${id}/block`, { reason: 'x'.repeat(500) }],
      [200, 'delete', `/urls/${id}`, { reason: 'In the body' }],
    ];
    for (const [status, method, path, body] of cases) {
      const answer = await asAdmin(method, path, body);
      expect([method, path, answer.status]).toEqual([method, path, status]);
    }
  });

  it('cannot be created with names that are reserved for the administration', async () => {
    for (const alias of ['admin', 'Account', 'user', 'WWW']) {
      const answer = await asOwner('post', '/api/v1/shorten', {
        long_url: 'https://example.com/',
        alias,
      });
      expect([alias, answer.status]).toEqual([alias, 400]);
    }
  });
});
