import type { Connection } from 'mongoose';
import request from 'supertest';
import { getPage, sendForm } from '../../support/account-pages';
import { databaseOf } from '../../support/database';
import { eventually } from '../../support/shared/eventually';
import {
  anAccount,
  anAccountWithoutPassword,
  anEmail,
  aVerifiedAccount,
  STRONG_PASSWORD,
} from '../../support/factories/accounts';
import { PLANTED, QUOTES, SCRIPT } from '../../support/hostile-texts';
import { anAddress, claimsOf, cookiesOf, cookieValue, post } from '../../support/http';
import { mailsTo, newestCode } from '../../support/outbox';
import { type Service, startService } from '../../support/service';

const NEXT_PASSWORD = 'Difference-Engine-2';

describe('The account pages', () => {
  let service: Service;
  let database: Connection;
  beforeAll(async () => {
    service = await startService({
      env: { GOOGLE_CLIENT_ID: 'x', GOOGLE_CLIENT_SECRET: 'y' },
    });
    database = await databaseOf(service);
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
  });

  const get = (path: string, headers: Record<string, string> = {}) =>
    getPage(service, path, headers);
  const send = (
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ) => sendForm(service, path, fields, headers);
  const onward = ({ status, headers }: request.Response) => [status, headers.location as string];
  const signedIn = async (cookies: string) =>
    (await request(service.url).get('/auth/me').set('Cookie', cookies)).status;
  const alertOf = ({ text }: request.Response) =>
    /role="alert"\s*>\s*([^<]*)/.exec(text)?.[1]?.trim();

  const STRANGERS = ['/login', '/register', '/login/forgot-password', '/login/reset-password'];
  const FORMS = [...STRANGERS, '/register/verify', '/register/verify/resend', '/dashboard/logout'];

  describe('for signed-out visitors', () => {
    it.each(STRANGERS)('%s is a page that is never stored', async (path) => {
      const answer = await get(path);
      expect([answer.status, answer.type]).toEqual([200, 'text/html']);
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.headers['content-security-policy']).toContain("default-src 'self'");
      expect(answer.headers['set-cookie']).toBeUndefined();
      expect(answer.headers['x-ratelimit-limit']).toBeUndefined();
      expect(answer.text).toContain(`action="${path}"`);
    });

    it('verification leads to the sign-in and back', async () => {
      const way = '/login?next=%2Fregister%2Fverify';
      expect(onward(await get('/register/verify'))).toEqual([303, way]);
      expect(onward(await send('/register/verify', { code: '123456' }))).toEqual([303, way]);
      expect(onward(await send('/register/verify/resend', {}))).toEqual([303, way]);
    });

    it('/signup redirects to the current path', async () => {
      expect(onward(await get('/signup'))).toEqual([301, '/register']);
    });

    it('configured providers have a button with the return path', async () => {
      const { text } = await get('/login?next=%2Fdashboard%2Flinks%3Fq%3Da%26b');
      expect(text).toContain('href="/oauth/google?next=%2Fdashboard%2Flinks%3Fq%3Da%26b"');
      expect(text).toContain('<input type="hidden" name="next" value="/dashboard/links?q=a&amp;b"');
      expect((await get('/register')).text).toContain('href="/oauth/google"');
      expect(text).not.toContain('/oauth/oidc');
    });
  });

  describe('for signed-in visitors', () => {
    it.each(STRANGERS)('%s redirects to the dashboard', async (path) => {
      const { cookies } = await anAccount(service);
      expect(onward(await get(path, { Cookie: cookies }))).toEqual([303, '/dashboard']);
      const refresh = `refresh_token=${cookieValue(cookies, 'refresh_token')}`;
      expect(onward(await get(path, { Cookie: refresh }))).toEqual([303, '/dashboard']);
      // Viewing the page must not spend the refresh token.
      expect((await post(service, '/auth/refresh').set('Cookie', refresh)).status).toBe(200);
    });

    it('a browser whose session has ended counts as signed out', async () => {
      const { cookies } = await anAccount(service);
      await post(service, '/auth/logout').set('Cookie', cookies);
      expect((await get('/login', { Cookie: cookies })).status).toBe(200);
      expect(onward(await get('/register/verify', { Cookie: cookies }))[0]).toBe(303);
      const spent = await anAccount(service);
      await post(service, '/auth/refresh').set('Cookie', spent.cookies);
      const refresh = `refresh_token=${cookieValue(spent.cookies, 'refresh_token')}`;
      expect((await get('/login', { Cookie: refresh })).status).toBe(200);
    });

    it('redirect visitors to the page that they requested', async () => {
      const { cookies } = await anAccount(service);
      const answer = await get('/login?next=%2Fdashboard%2Fkeys', { Cookie: cookies });
      expect(onward(answer)).toEqual([303, '/dashboard/keys']);
    });
  });

  it('let a user sign in and out', async () => {
    const account = await anAccount(service);
    const fields = { email: account.email.toUpperCase(), password: STRONG_PASSWORD };
    const answer = await send('/login', { ...fields, next: '/dashboard/links?page=2' });
    expect(onward(answer)).toEqual([303, '/dashboard/links?page=2']);
    expect(answer.headers['cache-control']).toBe('no-store');
    const cookies = cookiesOf(answer);
    expect(await signedIn(cookies)).toBe(200);
    const devices = answer.get('Set-Cookie')?.filter((line) => line.startsWith('device='));
    expect(devices?.map((line) => /Path=[^;]*/.exec(line)?.[0])).toEqual([
      'Path=/auth',
      'Path=/login',
    ]);
    const out = await send('/dashboard/logout', {}, { Cookie: cookies });
    expect(onward(out)).toEqual([303, '/']);
    expect(out.get('Set-Cookie')).toEqual([
      expect.stringMatching(/^access_token=; Max-Age=0/),
      expect.stringMatching(/^refresh_token=; Max-Age=0/),
    ]);
    expect((await post(service, '/auth/refresh').set('Cookie', cookies)).status).toBe(401);
  });

  it.each(['//evil.example', '/alias'])(
    'redirect to the dashboard for the hostile return path %j',
    async (next) => {
      const { email, cookies } = await anAccount(service);
      const fields = { email, password: STRONG_PASSWORD, next };
      expect(onward(await send('/login', fields))).toEqual([303, '/dashboard']);
      const path = `/login?next=${encodeURIComponent(next)}`;
      expect(onward(await get(path, { Cookie: cookies }))).toEqual([303, '/dashboard']);
      expect((await get(path)).text).not.toMatch(/evil|name="next"/);
    },
  );

  it('create an account, verify its address and send another code', async () => {
    const email = anEmail();
    const made = await send('/register', { email, password: STRONG_PASSWORD, user_name: '' });
    expect(onward(made)).toEqual([303, '/register/verify']);
    const cookie = { Cookie: cookiesOf(made) };
    expect((await get('/register/verify', cookie)).text).toContain(email);
    await newestCode(service, email);
    const resent = await send('/register/verify/resend', {}, cookie);
    expect(onward(resent)).toEqual([303, '/register/verify?done=code-sent']);
    expect((await get(resent.headers.location as string, cookie)).text).toContain('on its way');
    const code = await newestCode(service, email, 2);
    const wrong = await send(
      '/register/verify',
      { code: code === '000000' ? '1' : '000000' },
      cookie,
    );
    expect([wrong.status, alertOf(wrong)]).toEqual([
      400,
      'The code is wrong or no longer valid; request a new one.',
    ]);
    const spaced = ` ${code.slice(0, 3)} ${code.slice(3)} `;
    const verified = await send('/register/verify', { code: spaced }, cookie);
    expect(onward(verified)).toEqual([303, '/dashboard']);
    const claims = claimsOf(cookieValue(cookiesOf(verified), 'access_token'));
    expect(claims).toMatchObject({ email, email_verified: true });
    const after = { Cookie: cookiesOf(verified) };
    expect(onward(await get('/register/verify', after))).toEqual([303, '/dashboard']);
    const user = await database.collection('accounts').findOne({ email });
    expect(user).toMatchObject({ user_name: null });
    const sessions = await database.collection('sessions').countDocuments({ user: user?._id });
    expect(sessions).toBe(1);
  });

  it('set a new password with a code, on a page that shows the email address', async () => {
    const { email, cookies } = await aVerifiedAccount(service);
    const asked = await send('/login/forgot-password', { email });
    expect(onward(asked)).toEqual([303, '/login/reset-password']);
    expect(asked.headers.location).not.toContain('@');
    const page = await get('/login/reset-password', { Cookie: cookiesOf(asked) });
    expect(page.text).toContain(`value="${email}"`);
    const code = await newestCode(service, email, 2);
    const weak = await send('/login/reset-password', { email, code, password: 'weak-weak' });
    expect(weak.status).toBe(400);
    expect(weak.text).toContain(`value="${code}"`);
    const fields = { email, code, password: NEXT_PASSWORD };
    expect(onward(await send('/login/reset-password', fields))).toEqual([
      303,
      '/login?done=password-changed',
    ]);
    expect((await get('/login?done=password-changed')).text).toContain('Your password was changed');
    expect((await post(service, '/auth/refresh').set('Cookie', cookies)).status).toBe(401);
    const login = await send('/login', { email, password: NEXT_PASSWORD });
    expect(onward(login)).toEqual([303, '/dashboard']);
  });

  it('treat an unknown email address like a known one', async () => {
    const known = await aVerifiedAccount(service);
    const without = await anAccountWithoutPassword(service);
    const [unknown, other, reset] = [anEmail(), anEmail(), anEmail()];
    const asked = await Promise.all(
      [known.email, without.email, unknown].map((email) =>
        send('/login/forgot-password', { email }),
      ),
    );
    expect(asked.map(onward)).toEqual(asked.map(() => [303, '/login/reset-password']));
    const tried = await Promise.all(
      [known.email, without.email, other].map((email) =>
        send('/login', { email, password: 'Wr0ng-Horse' }),
      ),
    );
    const plain = (answer: request.Response, email: string) =>
      answer.text.replaceAll(email, 'the address');
    const [first, second, third] = tried as [request.Response, request.Response, request.Response];
    expect(tried.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(alertOf(first)).toBe('Email or password is wrong.');
    expect(plain(second, without.email)).toBe(plain(first, known.email));
    expect(plain(third, other)).toBe(plain(first, known.email));
    const body = { code: '123456', password: NEXT_PASSWORD };
    const refused = await Promise.all(
      [known.email, reset].map((email) => send('/login/reset-password', { ...body, email })),
    );
    expect(refused.map(({ status }) => status)).toEqual([400, 400]);
    expect(plain(refused[0] as request.Response, known.email)).toBe(
      plain(refused[1] as request.Response, reset),
    );
  });

  describe('show a rejected form again', () => {
    it('with every invalid field marked, described and explained', async () => {
      const answer = await send('/register', { email: 'nobody', user_name: 'x'.repeat(256) });
      expect(answer.status).toBe(422);
      expect(answer.headers['x-error-code']).toBe('validation_error');
      for (const name of ['email', 'password', 'user_name']) {
        const input = new RegExp(`<input\\s[^>]*name="${name}"[^>]*>`).exec(answer.text)?.[0] ?? '';
        expect(input).toContain('aria-invalid="true"');
        expect(/aria-describedby="([^"]*)"/.exec(input)?.[1]?.split(' ')).toContain(
          `${name}-problem`,
        );
        expect(answer.text).toContain(`id="${name}-problem"`);
      }
      expect(answer.text.match(/role="alert"/g)).toHaveLength(1);
      expect(answer.text.match(/autofocus/g)).toHaveLength(1);
    });

    it('with all input except passwords', async () => {
      const fields = { email: anEmail(), password: 'weak-password', user_name: 'Ada' };
      const answer = await send('/register', fields);
      expect(answer.status).toBe(400);
      expect(answer.text).toContain(`value="${fields.email}"`);
      expect(answer.text).toContain('value="Ada"');
      expect(answer.text).not.toContain('weak-password');
      const taken = await anAccount(service);
      const again = await send('/register', { email: taken.email, password: STRONG_PASSWORD });
      expect([again.status, alertOf(again)]).toEqual([
        409,
        'An account with this email already exists.',
      ]);
    });

    it.each([
      ['/login', { email: 'a@example.com' }],
      ['/login', { email: 'a@example.com', password: 'x'.repeat(256) }],
      ['/login/forgot-password', { email: `${'a'.repeat(250)}@example.com` }],
      ['/login/reset-password', { email: 'a@example.com', code: '12345', password: NEXT_PASSWORD }],
    ])('%s with %j is 422', async (path, fields) => {
      const answer = await send(path, fields);
      expect(answer.status).toBe(422);
      expect(answer.text).toMatch(/aria-invalid="true"/);
    });

    it('after too many requests, which API requests also count towards, with the remaining time', async () => {
      const address = { 'X-Forwarded-For': anAddress() };
      const fields = { email: anEmail(), password: 'Wr0ng-Horse' };
      for (let i = 0; i < 5; i++) {
        await request(service.url).post('/auth/login').set(address).send(fields);
      }
      const answer = await send('/login', fields, address);
      expect([answer.status, answer.headers['x-error-code']]).toEqual([429, 'rate_limit_exceeded']);
      expect(alertOf(answer)).toMatch(/try again in \d+ seconds?\.$/);
      expect(answer.text).toContain(`value="${fields.email}"`);
      expect(answer.headers['retry-after']).toMatch(/^\d+$/);
    });

    it('with hostile text as plain text', async () => {
      for (const text of [SCRIPT, QUOTES]) {
        const fields = { email: text, password: text, user_name: text, code: text, next: text };
        for (const path of STRANGERS) {
          const answer = await send(path, fields);
          expect([path, answer.status]).toEqual([path, 422]);
          expect(answer.text).not.toMatch(PLANTED);
        }
        const { text: page } = await get(
          `/login?next=${encodeURIComponent(text)}&done=${encodeURIComponent(text)}`,
        );
        expect(page).not.toMatch(PLANTED);
      }
    });

    it('as JSON if the client requests it', async () => {
      const answer = await send('/login', { email: 'x' }, { Accept: 'application/json' });
      expect([answer.status, answer.body.code]).toEqual([422, 'validation_error']);
    });

    it.each(['__proto__', 'constructor', 'toString'])(
      'even if its return paths are object properties: %s',
      async (done) => {
        expect((await get(`/login?done=${done}`)).status).toBe(200);
      },
    );
  });

  describe('accept no form from another site', () => {
    it.each(FORMS)('%s', async (path) => {
      const { email, cookies } = await aVerifiedAccount(service);
      const fields = { email, password: STRONG_PASSWORD, code: '123456' };
      const foreign = [
        'https://evil.example',
        'null',
        `http://localhost:${service.port}.evil.example`,
      ];
      for (const Origin of foreign) {
        const answer = await send(path, fields, { Origin, Cookie: cookies });
        expect([path, Origin, answer.status]).toEqual([path, Origin, 403]);
        expect(answer.headers['x-error-code']).toBe('forbidden');
        expect(answer.text).toContain('Not allowed');
        expect(answer.headers['set-cookie']).toBeUndefined();
      }
      const silent = await request(service.url)
        .post(path)
        .type('form')
        .set({ Accept: 'text/html', 'Sec-Fetch-Site': 'cross-site' })
        .set('X-Forwarded-For', anAddress())
        .send(fields);
      expect([path, silent.status]).toEqual([path, 403]);
      expect((await post(service, '/auth/refresh').set('Cookie', cookies)).status).toBe(200);
    });

    it('except from old browsers, which send no Origin', async () => {
      const { email } = await anAccount(service);
      const answer = await request(service.url)
        .post('/login')
        .redirects(0)
        .type('form')
        .set('X-Forwarded-For', anAddress())
        .send({ email, password: STRONG_PASSWORD });
      expect(onward(answer)).toEqual([303, '/dashboard']);
    });
  });

  it('let a known browser sign in after strangers have used up all attempts', async () => {
    const { email } = await anAccount(service);
    const first = await send('/login', { email, password: STRONG_PASSWORD });
    const device = `device=${cookieValue(cookiesOf(first), 'device')}`;
    for (let i = 0; i < 30; i++) await send('/login', { email, password: 'Wr0ng-Horse' });
    expect((await send('/login', { email, password: STRONG_PASSWORD })).status).toBe(429);
    const owner = await send('/login', { email, password: STRONG_PASSWORD }, { Cookie: device });
    expect(owner.status).toBe(303);
  });

  it('are linked in the emails, whose subjects contain the codes', async () => {
    const { email } = await aVerifiedAccount(service);
    await send('/login/forgot-password', { email });
    const code = await newestCode(service, email, 2);
    await eventually(() => mailsTo(service, email).length === 3);
    const [first = '', , reset = ''] = mailsTo(service, email);
    expect(first).toMatch(/^Subject: Your verification code: \d{6} \(localhost:\d+\)\r$/m);
    expect(first).toContain(`http://localhost:${service.port}/register/verify`);
    expect(reset).toContain(`Subject: Your password reset code: ${code} (localhost:`);
    expect(reset).toContain(`http://localhost:${service.port}/login/reset-password`);
  });
});
