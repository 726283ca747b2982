import request from 'supertest';
import { aKey, anEmail, STRONG_PASSWORD } from '../support/factories/accounts';
import { anAddress, bearer, cookiesOf, cookieValue, post, visit } from '../support/http';
import { newestCode } from '../support/outbox';
import { aLink } from '../support/factories/links';
import { type Service, startService } from '../support/service';

const LINK_PASSWORD = 'l1nk.secret-of-tests';
const SECOND_PASSWORD = 'An0ther-secret!';

describe('The log of a whole test run', () => {
  let service: Service;
  beforeAll(async () => (service = await startService({ env: { LOG_LEVEL: 'trace' } })));
  afterAll(() => service.stop());

  it('has many lines, but no secret', async () => {
    const secrets: Record<string, string> = {
      password: STRONG_PASSWORD,
      'wrong password': 'Wr0ng-secret!!',
      'new password': SECOND_PASSWORD,
      'link password': LINK_PASSWORD,
      'wrong link password': 'wr0ng.link-secret',
      'signing secret': 'a secret of the end-to-end tests',
    };
    const email = anEmail();
    const note = (name: string, answer: request.Response) => {
      const cookies = cookiesOf(answer);
      for (const cookie of ['access_token', 'refresh_token']) {
        secrets[`${cookie} of ${name}`] = cookieValue(cookies, cookie);
      }
      return cookies;
    };

    const registered = await post(service, '/auth/register', { email, password: STRONG_PASSWORD });
    const cookies = note('register', registered);
    const token = registered.body.access_token as string;
    secrets['verification code'] = await newestCode(service, email);
    await post(service, '/auth/verify-email', { code: '000000' }).set(bearer(token));
    const code = secrets['verification code'];
    const verified = await post(service, '/auth/verify-email', { code }).set(bearer(token));
    note('verify', verified);
    const wrong = secrets['wrong password'];
    await post(service, '/auth/login', { email, password: wrong });
    note('login', await post(service, '/auth/login', { email, password: STRONG_PASSWORD }));
    note('refresh', await post(service, '/auth/refresh').set('Cookie', cookies));
    await post(service, '/auth/refresh').set('Cookie', cookies);
    await post(service, '/auth/set-password', { password: SECOND_PASSWORD }).set(bearer(token));

    const account = {
      email,
      password: STRONG_PASSWORD,
      accessToken: verified.body.access_token as string,
      userId: registered.body.user.id as string,
      cookies,
    };
    const key = (secrets.key = await aKey(service, account, ['admin:all']));
    await request(service.url).get('/api/v1/keys').set(bearer(key));
    secrets['altered key'] = `${key.slice(0, -3)}zzz`;
    await request(service.url).get('/auth/me').set(bearer(secrets['altered key']));
    await request(service.url)
      .get('/auth/me')
      .set(bearer(`${account.accessToken}x`));

    for (const signature of [key, secrets['altered key']]) {
      const fields = { signature, apiKey: signature, action: 'shorturl' };
      const query = new URLSearchParams(fields).toString();
      await request(service.url).get(`/yourls-api.php?${query}`);
      await request(service.url).post('/yourls-api.php').type('form').send(query);
      await request(service.url).get(`/rest/v3/short-urls/shorten?${query}`);
      await request(service.url).get(`/rest/v3/%ff?${query}`);
    }

    await post(service, '/auth/request-password-reset', { email });
    secrets['reset code'] = await newestCode(service, email, 2);
    await post(service, '/auth/reset-password', {
      email,
      code: secrets['reset code'],
      password: SECOND_PASSWORD,
    });
    await post(service, '/auth/reset-password', `{"password":"${SECOND_PASSWORD}` as never).set(
      'Content-Type',
      'application/json',
    );

    const { alias } = await aLink(service, { password: LINK_PASSWORD });
    const wrongLink = secrets['wrong link password'];
    for (const password of [LINK_PASSWORD, wrongLink]) {
      await visit(service, `${alias}?password=${password}`);
      await request(service.url)
        .post(`/${alias}/password`)
        .set('X-Forwarded-For', anAddress())
        .type('form')
        .send({ password });
    }
    await post(service, '/auth/logout').set('Cookie', cookies);
    await service.kill('SIGTERM');

    const log = service.log();
    expect(log).toContain('"level":"debug"');
    for (const [name, secret] of Object.entries(secrets)) {
      expect([name, secret.length]).not.toEqual([name, 0]);
      // Matches codes as whole words, because timestamps and ids may contain six digits.
      const found = /^\d{6}$/.test(secret)
        ? new RegExp(`(?<![\\w-])${secret}(?![\\w-])`).test(log)
        : log.includes(secret);
      expect([name, found]).toEqual([name, false]);
    }
  });
});
