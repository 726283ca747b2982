import { createHash } from 'node:crypto';
import mongoose from 'mongoose';
import request from 'supertest';
import {
  aKey,
  anAccount,
  aVerifiedAccount,
  type TestAccount,
} from '../../support/factories/accounts';
import {
  expireKey,
  lastUseOfKey,
  removeAccount,
  storedKeys,
} from '../../support/factories/stored-account';
import { anAddress, bearer, post } from '../../support/http';
import { databaseOf } from '../../support/database';
import { type Service, startService } from '../../support/service';

const SOON = Math.floor(Date.now() / 1000) + 3600;

describe('The API keys routes', () => {
  let service: Service;
  let owner: TestAccount;
  beforeAll(async () => {
    service = await startService();
    owner = await aVerifiedAccount(service);
  });
  afterAll(() => service.stop());

  const create = (account: TestAccount, body: object) =>
    post(service, '/api/v1/keys', body).set(bearer(account.accessToken));
  const list = (account: TestAccount) =>
    request(service.url).get('/api/v1/keys').set(bearer(account.accessToken));
  const end = (account: TestAccount, id: string, query = '') =>
    request(service.url).delete(`/api/v1/keys/${id}${query}`).set(bearer(account.accessToken));
  const me = (key: string) =>
    request(service.url)
      .get('/auth/me')
      .set({ ...bearer(key), 'X-Forwarded-For': anAddress() });

  it('create a key that is shown once and stored as a digest', async () => {
    const account = await aVerifiedAccount(service);
    const answer = await create(account, {
      name: '  CI  ',
      description: 'for the pipeline',
      scopes: ['shorten:create', 'urls:read', 'urls:read'],
      expires_at: SOON,
    });
    expect(answer.status).toBe(201);
    const { token, ...record } = answer.body as { token: string; id: string };
    expect(token).toMatch(/^svc_[A-Za-z0-9_-]{43}$/);
    expect(record).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'CI',
      description: 'for the pipeline',
      scopes: ['shorten:create', 'urls:read'],
      created_at: expect.any(Number),
      expires_at: SOON,
      revoked: false,
      token_prefix: token.slice(4, 12),
      last_used_at: null,
    });
    expect((await list(account)).body).toEqual({ keys: [record] });
    const database = await databaseOf(service);
    const _id = new mongoose.Types.ObjectId(record.id);
    const stored = await database.collection('api_keys').findOne({ _id });
    await database.close();
    expect(stored?.digest).toBe(createHash('sha256').update(token).digest('hex'));
    expect(JSON.stringify(stored)).not.toContain(token.slice(4));
  });

  it('list revoked keys too, oldest first, and no other account’s keys', async () => {
    const account = await aVerifiedAccount(service);
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      ids.push((await create(account, { name, scopes: ['stats:read'] })).body.id as string);
    }
    const revoked = await end(account, ids[1]!.toUpperCase(), '?revoke=true');
    expect([revoked.status, revoked.body]).toEqual([200, { success: true, action: 'revoked' }]);
    const { keys } = (await list(account)).body as { keys: { id: string; revoked: boolean }[] };
    expect(keys.map((key) => key.id)).toEqual(ids);
    expect(keys.map((key) => key.revoked)).toEqual([false, true, false]);
    const deleted = await end(account, ids[0]!, '?revoke=false');
    expect([deleted.status, deleted.body]).toEqual([200, { success: true, action: 'deleted' }]);
    expect((await list(account)).body.keys).toHaveLength(2);
    expect((await end(account, ids[0]!)).status).toBe(404);
  });

  it('reject revoked, deleted, expired and altered keys', async () => {
    const account = await aVerifiedAccount(service);
    const keys: { id: string; token: string }[] = [];
    for (const name of ['revoked', 'deleted', 'expired', 'altered']) {
      const body = { name, scopes: ['admin:all'], expires_at: SOON };
      keys.push((await create(account, body)).body as { id: string; token: string });
    }
    const [revoked, deleted, expired, altered] = keys as [
      (typeof keys)[0],
      (typeof keys)[0],
      (typeof keys)[0],
      (typeof keys)[0],
    ];
    for (const key of keys) expect((await me(key.token)).status).toBe(200);
    await end(account, revoked.id, '?revoke=true');
    await end(account, deleted.id);
    await expireKey(service, expired.id);
    const last = altered.token.endsWith('A') ? 'B' : 'A';
    for (const token of [
      revoked.token,
      deleted.token,
      expired.token,
      altered.token.slice(0, -1) + last,
      `${altered.token}A`,
      altered.token.slice(4),
      'svc_',
      'svc_%00',
    ]) {
      expect((await me(token)).status).toBe(401);
    }
    expect((await me(altered.token)).status).toBe(200);
  });

  it('reject a key whose owner was deleted', async () => {
    const account = await aVerifiedAccount(service);
    const key = await aKey(service, account, ['admin:all']);
    await removeAccount(service, account);
    expect((await me(key)).status).toBe(401);
  });

  it('store the time of the last use at most hourly', async () => {
    const account = await aVerifiedAccount(service);
    const key = await aKey(service, account, ['stats:read']);
    const lastUse = async () => (await list(account)).body.keys[0].last_used_at as number;
    const before = Math.floor(Date.now() / 1000);
    await me(key);
    const first = await lastUse();
    expect(first).toBeGreaterThanOrEqual(before);
    expect(first).toBeLessThanOrEqual(Date.now() / 1000);
    const use = async (minutesAgo: number) => {
      const date = new Date(Date.now() - minutesAgo * 60_000);
      await lastUseOfKey(service, key, date);
      await me(key);
      return (await lastUse()) - Math.floor(date.getTime() / 1000);
    };
    expect(await use(59)).toBe(0);
    expect(await use(61)).toBeGreaterThan(3600);
  });

  it('allow at most twenty keys, even for concurrent requests', async () => {
    const account = await aVerifiedAccount(service);
    const database = await databaseOf(service);
    // Expired keys count toward the limit; revoked keys do not.
    await storedKeys(service, account, [...Array(18).keys(), null, null, null]);
    const body = { name: 'one more', scopes: ['stats:read'] };
    const answers = await Promise.all(Array.from({ length: 5 }, () => create(account, body)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 201, 400, 400, 400]);
    const refused = answers.find((answer) => answer.status === 400);
    expect(refused?.body.code).toBe('validation_error');
    const filter = { owner: new mongoose.Types.ObjectId(account.userId), place: { $ne: null } };
    expect(await database.collection('api_keys').countDocuments(filter)).toBe(20);
    await database.close();
  });

  it('allow five requests an hour, even if they fail', async () => {
    const account = await aVerifiedAccount(service);
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await create(account, {})).status);
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
  });

  const shape: [object, string[]][] = [
    [{}, ['name', 'scopes']],
    [{ name: '   ', scopes: ['stats:read'] }, ['name']],
    [{ name: 'x'.repeat(256), scopes: ['stats:read'] }, ['name']],
    [{ name: 'x', scopes: [] }, ['scopes']],
    [{ name: 'x', scopes: 'stats:read' }, ['scopes']],
    [{ name: 'x', scopes: ['stats:write'] }, ['scopes.0']],
    [{ name: 'x', scopes: ['nope', 'stats:read', 7] }, ['scopes.0', 'scopes.2']],
    [{ name: 'x', scopes: ['stats:read'], description: 'x'.repeat(1001) }, ['description']],
    [{ name: 'x', scopes: ['stats:read'], expires_at: true }, ['expires_at']],
    [{ name: 'x', scopes: ['stats:read'], expires_at: 1.5 }, ['expires_at']],
  ];
  it('return 422 for an invalid body and list every invalid field', async () => {
    let account = owner;
    for (const [i, [body, fields]] of shape.entries()) {
      if (i % 5 === 0) account = await aVerifiedAccount(service);
      const answer = await create(account, body);
      expect([body, answer.status]).toEqual([body, 422]);
      const named =
        fields.length === 1
          ? [answer.body.field]
          : (answer.body.details as { field: string }[]).map((problem) => problem.field);
      expect(named).toEqual(fields);
    }
  });

  it('return 400 for an expiry that is unreadable or in the past', async () => {
    const account = await aVerifiedAccount(service);
    for (const expiry of ['tomorrow', 1, '2020-01-01', Math.floor(Date.now() / 1000)]) {
      const body = { name: 'x', scopes: ['stats:read'], expires_at: expiry };
      const answer = await create(account, body);
      expect([answer.status, answer.body.field]).toEqual([400, 'expires_at']);
    }
    const body = { name: 'x', scopes: ['stats:read'], expires_at: '2099-01-01T00:00+01:00' };
    const answer = await create(account, body);
    expect([answer.status, answer.body.expires_at]).toEqual([
      201,
      Date.UTC(2098, 11, 31, 23) / 1000,
    ]);
  });

  it("distinguish malformed ids, unknown keys and other accounts' keys", async () => {
    const stranger = await aVerifiedAccount(service);
    const { id } = (await create(owner, { name: 'mine', scopes: ['stats:read'] })).body;
    const foreign = await end(stranger, id as string);
    expect([foreign.status, foreign.body.code]).toEqual([403, 'forbidden']);
    expect((await end(stranger, '0'.repeat(24))).status).toBe(404);
    expect((await end(stranger, 'xyz')).status).toBe(400);
    expect((await end(stranger, 'xyz', '?revoke=maybe')).status).toBe(422);
    expect((await end(stranger, 'xyz', '?revoke=true&revoke=true')).status).toBe(422);
    expect((await end(owner, id as string)).status).toBe(200);
  });

  it('accept only sessions with a verified email', async () => {
    const unverified = await anAccount(service);
    const answer = await create(unverified, { name: 'x', scopes: ['stats:read'] });
    expect([answer.status, answer.body.code]).toEqual([403, 'email_not_verified']);
    const key = await aKey(service, owner, ['admin:all']);
    const byKey = await request(service.url).get('/api/v1/keys').set(bearer(key));
    expect([byKey.status, byKey.body.code]).toEqual([403, 'forbidden']);
    const byNobody = await request(service.url).get('/api/v1/keys');
    expect([byNobody.status, byNobody.body.code]).toEqual([401, 'authentication_error']);
  });
});
