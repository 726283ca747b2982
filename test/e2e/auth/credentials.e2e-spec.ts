import { createHmac } from 'node:crypto';
import { JwtService } from '@nestjs/jwt';
import request from 'supertest';
import {
  aKey,
  anAccount,
  aVerifiedAccount,
  type TestAccount,
} from '../../support/factories/accounts';
import { unverify } from '../../support/factories/stored-account';
import { anAddress, bearer, claimsOf, cookieValue, post } from '../../support/http';
import { newestCode } from '../../support/outbox';
import { eventually, type Service, startService } from '../../support/service';
import { expiringSoon } from '../../support/soon';

const SECRET = 'a secret of the end-to-end tests';

describe('The check of credentials', () => {
  let service: Service;
  let account: TestAccount;
  beforeAll(async () => {
    service = await startService();
    account = await aVerifiedAccount(service);
  });
  afterAll(() => service.stop());

  const me = (headers: Record<string, string>) =>
    request(service.url)
      .get('/auth/me')
      .set({ 'X-Forwarded-For': anAddress(), ...headers });
  const shorten = (headers: Record<string, string>) =>
    request(service.url)
      .post('/api/v1/shorten')
      .set({ 'X-Forwarded-For': anAddress(), ...headers })
      .send({ long_url: 'https://example.com/' });
  const basic = (userAndPassword: string) =>
    `Basic ${Buffer.from(userAndPassword).toString('base64')}`;
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

  function forgeries(): Record<string, string> {
    const { iat, exp, ...claims } = claimsOf(account.accessToken);
    const jwt = new JwtService({ secret: SECRET });
    const [header, body, signature] = account.accessToken.split('.') as [string, string, string];
    const none = encode({ alg: 'none', typ: 'JWT' });
    const now = Math.floor(Date.now() / 1000);
    const hs512 = `${encode({ alg: 'HS512', typ: 'JWT' })}.${body}`;
    const other = encode({ ...claims, iat, exp, email_verified: true, sub: 'f'.repeat(24) });
    return {
      'alg none': `${none}.${body}.`,
      'alg none with the old signature': `${none}.${body}.${signature}`,
      'no signature': `${header}.${body}.`,
      'another algorithm of the same key': `${hs512}.${createHmac('sha512', SECRET).update(hs512).digest('base64url')}`,
      'another key': jwt.sign({ ...claims, exp }, { secret: 'the secret of another service' }),
      'an empty key': jwt.sign({ ...claims, exp }, { secret: ' ' }),
      expired: jwt.sign({ ...claims, iat: now - 901, exp: now - 1 }),
      'without an end': jwt.sign(claims),
      'another issuer': jwt.sign({ ...claims, exp, iss: 'somebody' }),
      'another audience': jwt.sign({ ...claims, exp, aud: 'somebody' }),
      'a subject that is not an id': jwt.sign({ ...claims, exp, sub: { $ne: null } as never }),
      'changed claims': `${header}.${other}.${signature}`,
      'a refresh token': cookieValue(account.cookies, 'refresh_token'),
      rubbish: 'a.b.c',
      'half a token': account.accessToken.slice(0, 40),
      'deep JSON': `${header}.${Buffer.from('['.repeat(3000)).toString('base64url')}.${signature}`,
    };
  }

  it('accepts a valid hand-made token, so that the invalid ones are rejected for their own reason', async () => {
    const jwt = new JwtService({ secret: SECRET });
    const token = jwt.sign(claimsOf(account.accessToken));
    expect((await me(bearer(token))).status).toBe(200);
  });

  it('returns 401 for every forged bearer token, even if credentials are optional', async () => {
    for (const [name, token] of Object.entries(forgeries())) {
      for (const answer of [await me(bearer(token)), await shorten(bearer(token))]) {
        expect([name, answer.status, answer.body.code]).toEqual([
          name,
          401,
          'authentication_error',
        ]);
      }
    }
  });

  it('treats a forged cookie as absent if credentials are optional', async () => {
    for (const [name, token] of Object.entries(forgeries())) {
      const headers = { Cookie: `access_token=${token}` };
      expect([name, (await me(headers)).status]).toEqual([name, 401]);
      const answer = await shorten(headers);
      expect([name, answer.status, answer.body.owner_id]).toEqual([name, 201, null]);
    }
  });

  it('returns 401 for a malformed Curtail credential', async () => {
    for (const value of [
      account.accessToken,
      'Bearer',
      'Bearer ',
      `Bearer ${account.accessToken} more`,
      'Bearer svc_short',
      `svc_${'x'.repeat(43)}`,
      basic(`svc_${'x'.repeat(43)}:`),
      basic('ann:svc_short'),
    ]) {
      expect([value, (await me({ Authorization: value })).status]).toEqual([value, 401]);
      expect([value, (await shorten({ Authorization: value })).status]).toEqual([value, 401]);
    }
  });

  it('ignores other schemes, which a proxy may pass on', async () => {
    for (const value of [basic('a:b'), 'Basic', 'Basic %', 'Negotiate YWJj', 'Token x', '\\']) {
      expect([value, (await me({ Authorization: value })).status]).toEqual([value, 401]);
      const anonymous = await shorten({ Authorization: value });
      expect([value, anonymous.status, anonymous.body.owner_id]).toEqual([value, 201, null]);
      const byCookie = await me({ Authorization: value, Cookie: account.cookies });
      expect([value, byCookie.status]).toEqual([value, 200]);
    }
  });

  it('accepts a key as the user name or the password of Basic authentication', async () => {
    const key = await aKey(service, account, ['shorten:create']);
    for (const value of [basic(`${key}:`), basic(key), basic(`ann:${key}`)]) {
      const answer = await shorten({ Authorization: value });
      expect([answer.status, answer.body.owner_id]).toEqual([201, account.userId]);
    }
  });

  it('returns 401 for X-API-Key, with a hint to the correct header', async () => {
    const key = await aKey(service, account, ['shorten:create']);
    const answer = await shorten({ 'X-API-Key': key });
    expect([answer.status, answer.body]).toEqual([
      401,
      expect.objectContaining({
        code: 'authentication_error',
        hint: 'Authorization: Bearer svc_…',
      }),
    ]);
    expect((await shorten({ 'X-API-Key': 'other', ...bearer(key) })).status).toBe(201);
  });

  it('reports whether a key is unknown, malformed, revoked or expired', async () => {
    const owner = await aVerifiedAccount(service);
    const { body: brief } = await expiringSoon((expires_at) =>
      post(service, '/api/v1/keys', { name: 'brief', scopes: ['urls:read'], expires_at }).set(
        bearer(owner.accessToken),
      ),
    );
    const revoked = await aKey(service, owner, ['urls:read']);
    const { keys } = (await request(service.url).get('/api/v1/keys').set(bearer(owner.accessToken)))
      .body as { keys: { id: string; name: string }[] };
    const { id = '' } = keys.find(({ name }) => name === 'test') ?? {};
    await request(service.url)
      .delete(`/api/v1/keys/${id}?revoke=true`)
      .set(bearer(owner.accessToken));
    await eventually('the key has expired', () => Date.now() / 1000 > brief.expires_at);
    for (const [key, reason] of [
      [`svc_${'x'.repeat(43)}`, 'unknown'],
      ['svc_short', 'malformed'],
      [revoked, 'revoked'],
      [brief.token as string, 'expired'],
    ] as const) {
      const answer = await me(bearer(key));
      expect([answer.status, answer.body.code]).toEqual([401, 'authentication_error']);
      expect(answer.body.error).toContain(reason);
    }
  });

  it('prefers the header to the cookie', async () => {
    const answer = await me({ Authorization: 'Bearer x.y.z', Cookie: account.cookies });
    expect(answer.status).toBe(401);
  });

  it.each(['access_token=%', 'access_token="x"', '=;;==', 'access_token', 'access_token=\u00ff'])(
    'returns 401 for the cookie %j',
    async (cookie) => {
      expect((await me({ Cookie: cookie })).status).toBe(401);
    },
  );

  it('rejects a cookie session from a foreign origin, and accepts listed origins', async () => {
    const cookie = { Cookie: account.cookies };
    const foreign = await shorten({ ...cookie, Origin: 'https://evil.example' });
    expect([foreign.status, foreign.body.code]).toEqual([403, 'forbidden']);
    for (const origin of ['null', `http://127.0.0.1:${service.port}`]) {
      expect([origin, (await shorten({ ...cookie, Origin: origin })).status]).toEqual([
        origin,
        403,
      ]);
    }
    const ours = await shorten({ ...cookie, Origin: `http://localhost:${service.port}` });
    expect(ours.status).toBe(201);
    const byHeader = { ...bearer(account.accessToken), Origin: 'https://evil.example' };
    expect((await shorten(byHeader)).status).toBe(201);
    const read = await me({ ...cookie, Origin: 'https://evil.example' });
    expect(read.status).toBe(200);
  });

  describe('shortening with an account', () => {
    it('creates a link that belongs to the account, with private statistics by default', async () => {
      const answer = await shorten(bearer(account.accessToken));
      expect(answer.body).toMatchObject({ owner_id: account.userId, private_stats: true });
      const open = await request(service.url)
        .post('/api/v1/shorten')
        .set({ 'X-Forwarded-For': anAddress(), Cookie: account.cookies })
        .send({ long_url: 'https://example.com/', private_stats: false });
      expect(open.body).toMatchObject({ owner_id: account.userId, private_stats: false });
    });

    it('accepts a key with the scope, and returns 403 for other keys', async () => {
      const allowed = await shorten(bearer(await aKey(service, account, ['shorten:create'])));
      expect([allowed.status, allowed.body.owner_id]).toEqual([201, account.userId]);
      const refused = await shorten(bearer(await aKey(service, account, ['urls:manage'])));
      expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
    });

    it('requires a verified email, by the claim for a session and by the account for a key', async () => {
      const other = await aVerifiedAccount(service);
      const key = await aKey(service, other, ['shorten:create']);
      await unverify(service, other);
      const byKey = await shorten(bearer(key));
      expect([byKey.status, byKey.body.code]).toEqual([403, 'email_not_verified']);
      expect((await shorten(bearer(other.accessToken))).status).toBe(201);
      const fresh = await anAccount(service);
      const code = await newestCode(service, fresh.email);
      const verified = await post(service, '/auth/verify-email', { code }).set(
        bearer(fresh.accessToken),
      );
      expect(verified.status).toBe(200);
      const bySession = await shorten(bearer(fresh.accessToken));
      expect([bySession.status, bySession.body.code]).toEqual([403, 'email_not_verified']);
    });

    it('returns 401 to anonymous callers that request private statistics', async () => {
      const answer = await request(service.url)
        .post('/api/v1/shorten')
        .set('X-Forwarded-For', anAddress())
        .send({ long_url: 'https://example.com/', private_stats: true });
      expect([answer.status, answer.body.code]).toEqual([401, 'authentication_error']);
    });

    it('has a limit of 60 requests a minute, shared by all sessions and keys of the account', async () => {
      const other = await aVerifiedAccount(service);
      const key = await aKey(service, other, ['shorten:create']);
      const first = await shorten(bearer(other.accessToken));
      expect(first.get('X-RateLimit-Limit')).toBe('60');
      expect(first.get('X-RateLimit-Remaining')).toBe('59');
      expect((await shorten(bearer(key))).get('X-RateLimit-Remaining')).toBe('58');
      expect((await shorten({})).get('X-RateLimit-Limit')).toBe('20');
    });
  });
});
