import request from 'supertest';
import { getPage, sendForm } from '../../support/account-pages';
import { curtail, type CommandEnd } from '../../support/curtail';
import {
  anAccount,
  anEmail,
  STRONG_PASSWORD,
  type TestAccount,
} from '../../support/factories/accounts';
import { anAddress, cookiesOf, cookieValue, bearer } from '../../support/http';
import { eventually, type Service, startService, TEST_SECRET } from '../../support/service';

const LINK = /\/setup\?token=([\w-]{43})/g;
const tokensIn = (text: string) => [...text.matchAll(LINK)].map(([, token = '']) => token);

describe('the first administrator', () => {
  let service: Service;
  let token: string;
  let account: TestAccount;
  beforeAll(async () => {
    service = await startService({
      own: true,
      env: { WEB_CONCURRENCY: '2', REGISTRATION: 'open' },
    });
    // Logged after the service is healthy.
    await eventually('the link is logged', () => tokensIn(service.log()).length > 0);
    const tokens = tokensIn(service.log());
    expect(tokens).toHaveLength(1);
    [token = ''] = tokens;
    account = await anAccount(service);
  });

  const open = (value: string, headers = {}) => getPage(service, `/setup?token=${value}`, headers);
  const fields = () => ({ token, email: anEmail(), password: STRONG_PASSWORD });
  const send = (form: Record<string, string>, headers = {}) =>
    sendForm(service, '/setup', form, headers);

  function setupLink(): Promise<CommandEnd> {
    const { dataDir, url: BASE_URL, mongoUri: MONGODB_URI } = service;
    const env = { BASE_URL, MONGODB_URI, JWT_SECRET: TEST_SECRET };
    return curtail(dataDir, ['admin', 'setup-link', '--json'], env);
  }

  it('gets a form at the link in the log, even after another account was registered', async () => {
    const answer = await open(token);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
    });
    for (const text of [
      '<h1>Set up Curtail</h1>',
      '>Email ',
      '>Password ',
      'Create administrator',
    ]) {
      expect(answer.text).toContain(text);
    }
    expect((await request(service.url).head(`/setup?token=${token}`)).status).toBe(200);
  });

  it('gets the same page for every invalid link', async () => {
    const wrong = ['', 'x', 'x'.repeat(43), `${token}&token=${token}`];
    const answers = await Promise.all(wrong.map((value) => open(value)));
    expect(answers.map(({ status, headers }) => [status, headers['x-error-code']])).toEqual(
      wrong.map(() => [404, 'not_found']),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.text).toContain('curtail admin setup-link');
    const json = await open('x', { Accept: 'application/json' });
    expect([json.status, json.body]).toMatchObject([404, { code: 'not_found' }]);
    expect((await getPage(service, '/setup/x')).status).toBe(404);
  });

  it('gets no set-up form again after the link has created the account', async () => {
    const headers = { 'X-Forwarded-For': anAddress() };
    const wrong = { token: 'a'.repeat(67) };
    let answer = await send(wrong, headers);
    while (answer.status === 404) answer = await send(wrong, headers);
    expect([answer.status, answer.text.includes('<h1>Too many requests')]).toEqual([429, true]);
  });

  it.each([
    [422, 'aria-invalid="true"', { email: 'not an address' }],
    [422, 'aria-invalid="true"', { password: 'short' }],
    [400, 'password-problem', { password: 'all-lower-case' }],
    [404, 'curtail admin setup-link', { token: 'x'.repeat(43), email: 'not an address' }],
  ])('gets a rejected form again: %i %s', async (status, text, wrong) => {
    const answer = await send({ ...fields(), ...wrong });
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(text)]);
    expect(answer.text).not.toContain(STRONG_PASSWORD);
  });

  it('needs an address without an account, and a form from this site', async () => {
    const taken = await send({ ...fields(), email: account.email });
    expect([taken.status, taken.text]).toEqual([409, expect.stringContaining(account.email)]);
    const foreign = await send(fields(), { Origin: 'https://evil.example' });
    expect(foreign.status).toBe(403);
    expect((await open(token)).status).toBe(200);
  });

  it('gets a new link from the command, which replaces the previous link', async () => {
    const { code, out } = await setupLink();
    expect([code, JSON.parse(out)]).toEqual([
      0,
      { link: expect.stringMatching(LINK) as string, expires_at: expect.any(String) as string },
    ]);
    expect((await open(token)).status).toBe(404);
    [token = ''] = tokensIn(out);
    expect((await open(token)).status).toBe(200);
  });

  it('is created exactly once for concurrent forms, and ends the set-up', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => send(fields())));
    const [created, ...others] = answers.sort((a, b) => a.status - b.status);
    expect([created?.status, created?.headers.location]).toEqual([303, '/dashboard']);
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 404));
    const access = cookieValue(cookiesOf(created!), 'access_token');
    const get = (path: string) =>
      request(service.url)
        .get(path)
        .set({ 'X-Forwarded-For': anAddress(), ...bearer(access) });
    const { body } = await get('/auth/me');
    expect(body.user).toMatchObject({ role: 'admin', email_verified: true, password_set: true });
    const trail = await get('/api/v1/admin/trail');
    expect(trail.body.items).toMatchObject([
      { act: 'account.role', actor: { id: null, via: 'setup' }, after: { role: 'admin' } },
    ]);
    expect((await open(token)).status).toBe(404);
    const { code, err } = await setupLink();
    expect([code, err.trim().split('\n').length]).toEqual([1, 1]);
    expect(tokensIn(service.log())).toHaveLength(1);
  });
});
