import type { Connection } from 'mongoose';
import type request from 'supertest';
import type { ApiClient } from '../../support/api-client';
import { databaseOf } from '../../support/database';
import { anAccount } from '../../support/factories/accounts';
import { startWithDomain } from '../../support/factories/domains';
import { aLink } from '../../support/factories/links';
import { manyOpenReports, reportsOf } from '../../support/factories/reports';
import { LINES, QUOTES, SCRIPT } from '../../support/hostile-texts';
import { anAddress, bearer, post } from '../../support/http';
import type { Service } from '../../support/service';

const DOMAIN = 'reported.example.net';

describe('POST /api/v1/reports', () => {
  let service: Service;
  let database: Connection;
  let client: ApiClient;

  beforeAll(async () => {
    ({ service, client } = await startWithDomain(DOMAIN));
    database = await databaseOf(service);
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
  });

  const report = (items: unknown, more: object = {}): request.Test =>
    post(service, '/api/v1/reports', { items, ...more });
  const of = (code_or_url: string, more: object = {}) => ({
    code_or_url,
    reason: 'phishing',
    ...more,
  });

  it('accepts reports about a link from all callers, by its code or its short URL', async () => {
    const { id, alias } = await aLink(service);
    const own = await client.aLink({ domain: DOMAIN });
    const answer = await report(
      [
        of(alias, { details: ' Asks for a PIN\r\nin capitals ', vector: 'sms' }),
        of(`${DOMAIN}/${own.alias}+?x`, { reason: 'malware', details: null, vector: null }),
      ],
      { reporter_email: 'Ada@Example.com', reporter_org: 'Acme' },
    );
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        submission_id: expect.stringMatching(/^[0-9a-f]{24}$/) as string,
        accepted: 2,
        rejected: [],
      },
    ]);
    expect(await reportsOf(database, id)).toMatchObject([
      {
        state: 'open',
        count: 1,
        reasons: { phishing: 1 },
        entries: [
          {
            reason: 'phishing',
            details: 'Asks for a PIN\nin capitals',
            vector: 'sms',
            email: 'ada@example.com',
            org: 'Acme',
          },
        ],
      },
    ]);
    const [other] = await reportsOf(database, own.id);
    expect(other?.entries).toEqual([
      {
        at: expect.any(Date) as Date,
        reason: 'malware',
        email: 'ada@example.com',
        org: 'Acme',
      },
    ]);
  });

  it('combines reports about a link into one, with the newest 50 texts', async () => {
    const { id, alias } = await aLink(service);
    for (let i = 0; i < 53; i++) {
      const reason = i % 2 === 0 ? 'spam' : 'other';
      const answer = await report([of(alias, { reason, details: `text ${i}` })]);
      expect(answer.body).toMatchObject({ accepted: 1 });
    }
    const [open, ...others] = await reportsOf(database, id);
    expect(others).toEqual([]);
    expect(open).toMatchObject({ count: 53, reasons: { spam: 27, other: 26 } });
    expect(open?.entries).toHaveLength(50);
    expect(open?.entries.map(({ details }) => details)).toEqual(
      Array.from({ length: 50 }, (_, i) => `text ${i + 3}`),
    );
    expect(open?.first_at.getTime()).toBeLessThan(open?.last_at.getTime() ?? 0);
  });

  it('opens a single report for any number of concurrent callers', async () => {
    const links = await Promise.all(Array.from({ length: 5 }, () => aLink(service)));
    const items = links.map(({ alias }) => of(alias));
    const answers = await Promise.all(Array.from({ length: 20 }, () => report(items)));
    expect(answers.map(({ body }) => (body as { accepted: number }).accepted)).toEqual(
      Array.from({ length: 20 }, () => 5),
    );
    for (const { id } of links) {
      expect(await reportsOf(database, id)).toMatchObject([
        { state: 'open', count: 20, reasons: { phishing: 20 } },
      ]);
    }
  });

  it('handles items one by one, and lists rejected items', async () => {
    const { alias } = await aLink(service);
    const short = `http://localhost:${service.port}/${alias}`;
    const answer = await report([
      of('https://evil.example/x'),
      of(alias),
      of('there-is-none'),
      of(`${short}?a=1`),
      of(''),
      of(SCRIPT),
      of(`${short}+`),
    ]);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      accepted: 1,
      rejected: [
        { index: 0, input: 'https://evil.example/x', code: 'invalid_input' },
        { index: 2, input: 'there-is-none', code: 'not_found' },
        { index: 3, input: `${short}?a=1`, code: 'duplicate_in_batch' },
        { index: 4, input: '', code: 'invalid_input' },
        { index: 5, input: SCRIPT, code: 'invalid_input' },
        { index: 6, input: `${short}+`, code: 'duplicate_in_batch' },
      ],
    });
  });

  it('accepts links that are closed, but not deleted ones', async () => {
    const link = await client.aLink();
    await client.setStatus(link.id, 'INACTIVE');
    expect((await report([of(link.alias)])).body).toMatchObject({ accepted: 1 });
    await client.remove(link.id);
    expect((await report([of(link.alias)])).body).toMatchObject({
      accepted: 0,
      rejected: [{ code: 'not_found' }],
    });
  });

  it('stores the account of a signed-in caller, and accepts keys with the scope', async () => {
    const { id, alias } = await aLink(service);
    const key = await client.withKey('reports:create');
    for (const caller of [client, key]) {
      const answer = await caller.call('post', '/api/v1/reports', { items: [of(alias)] });
      expect(answer.status).toBe(200);
    }
    const [open] = await reportsOf(database, id);
    expect(open?.entries.map(({ account }) => String(account))).toEqual([
      client.account.userId,
      client.account.userId,
    ]);
    const other = await client.withKey('urls:manage');
    const refused = await other.call('post', '/api/v1/reports', { items: [of(alias)] });
    expect([refused.status, refused.body]).toMatchObject([403, { code: 'forbidden' }]);
    const { accessToken } = await anAccount(service);
    const unverified = await report([of(alias)]).set(bearer(accessToken));
    expect([unverified.status, unverified.body]).toMatchObject([
      403,
      { code: 'email_not_verified' },
    ]);
    expect((await report([of(alias)]).set(bearer('svc_none'))).status).toBe(401);
  });

  it('accepts 25 items from anonymous callers and 100 from an account', async () => {
    const items = (count: number) => Array.from({ length: count }, (_, i) => of(`none-${i}`));
    const signedIn = (count: number) =>
      client.call('post', '/api/v1/reports', { items: items(count) });
    expect((await report(items(25))).status).toBe(200);
    expect((await signedIn(100)).status).toBe(200);
    for (const answer of [
      await report(items(26)),
      await signedIn(101),
      await report([]),
      await report(null),
      await report(undefined),
    ]) {
      expect([answer.status, answer.body]).toMatchObject([
        400,
        { code: 'validation_error', field: 'items' },
      ]);
    }
  });

  it.each([
    [{ items: [of('abc'), { code_or_url: 5, reason: 'spam' }] }, 'items.1.code_or_url'],
    [{ items: [of('abc')], reporter_emial: 'a@b.test' }, 'reporter_emial'],
  ])('rejects %j', async (body, field) => {
    const answer = await post(service, '/api/v1/reports', body);
    expect([answer.status, answer.body]).toMatchObject([422, { code: 'validation_error', field }]);
  });

  it('keeps texts unchanged, except for control characters', async () => {
    const { id, alias } = await aLink(service);
    const texts = [SCRIPT, QUOTES, LINES, 'a\u001b[2Jb\u0000c', '{"$gt": 1}', '$where', '\ud800'];
    for (const details of texts) {
      expect((await report([of(alias, { details })])).body).toMatchObject({ accepted: 1 });
    }
    const [open] = await reportsOf(database, id);
    expect(open?.entries.map(({ details }) => details)).toEqual([
      SCRIPT,
      QUOTES,
      LINES.replace(/\r\n/g, '\n'),
      'a [2Jb c',
      '{"$gt": 1}',
      '$where',
      '\ufffd',
    ]);
  });

  it('does not show reports to the owner of a link', async () => {
    const link = await client.aLink();
    const before = (await client.show(link.id)).body as object;
    await report([of(link.alias)]);
    expect((await client.show(link.id)).body).toEqual(before);
  });

  it('stores up to 10,000 open reports, and more about links that already have one', async () => {
    const [known, other] = [await aLink(service), await aLink(service)];
    await report([of(known.alias)]);
    const open = await database.collection('reports').countDocuments({ state: 'open' });
    const removeThem = await manyOpenReports(database, 10_000 - open);
    try {
      const refused = await report([of(known.alias), of(other.alias)]);
      expect([refused.status, refused.body]).toMatchObject([503, { code: 'internal_error' }]);
      expect(refused.headers['retry-after']).toBe('3600');
      // A request is accepted in full or not at all.
      expect(await reportsOf(database, known.id)).toMatchObject([{ count: 1 }]);
      expect((await report([of(known.alias)])).body).toMatchObject({ accepted: 1 });
      expect(await reportsOf(database, known.id)).toMatchObject([{ count: 2 }]);
      expect(await reportsOf(database, other.id)).toEqual([]);
    } finally {
      await removeThem();
    }
    expect((await report([of(other.alias)])).body).toMatchObject({ accepted: 1 });
  });

  it('allows 5 requests a minute per address, with any number of items', async () => {
    const address = anAddress();
    const items = Array.from({ length: 25 }, (_, i) => of(`none-${i}`));
    const ask = () => report(items).set('X-Forwarded-For', address);
    for (let i = 4; i >= 0; i--) {
      const { status, headers } = await ask();
      expect([status, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']]).toEqual([
        200,
        '5',
        String(i),
      ]);
    }
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(refused.headers['x-svc-hint']).toContain('Sign in');
  });
});
