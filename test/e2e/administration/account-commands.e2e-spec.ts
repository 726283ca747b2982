import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { type CommandEnd, curtail } from '../../support/curtail';
import {
  ADMIN_EMAIL,
  anAccount,
  anAdmin,
  aVerifiedAccount,
  STRONG_PASSWORD,
  type TestAccount,
  WITH_ADMIN,
} from '../../support/factories/accounts';
import { accountGone, databaseOf } from '../../support/database';
import { becomesEverywhere, statusesOf } from '../../support/everywhere';
import { anAddress, bearer, post, visit } from '../../support/http';
import { mailsTo } from '../../support/outbox';
import { type Service, startService, TEST_SECRET } from '../../support/service';

type Row = Record<string, unknown>;

const BAD_INPUT: [string[], number][] = [
  [['suspend', 'ada@example.com'], 2],
  [['suspend', ADMIN_EMAIL, '--reason', 'The last one'], 1],
];

describe.each([
  ['the embedded database', true],
  ['the database of MONGODB_URI', false],
])('curtail admin, on %s,', (_, embedded) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'curtail-admin-'));
  const hostsFile = join(dataDir, 'hosts.txt');
  const lists = { BLOCKED_HOSTS_FILE: hostsFile };
  let service: Service;
  let admin: TestAccount;
  let env: Record<string, string>;
  beforeAll(async () => {
    writeFileSync(hostsFile, 'bad.example\nworse.example\nno host \u001b[31m\n');
    const started = { ...WITH_ADMIN, ...lists, ...(embedded && { WEB_CONCURRENCY: '2' }) };
    service = await startService({ embedded, dataDir, env: started });
    admin = await anAdmin(service);
    env = {
      ...WITH_ADMIN,
      ...lists,
      BASE_URL: service.url,
      ...(!embedded && { MONGODB_URI: service.mongoUri, JWT_SECRET: TEST_SECRET }),
    };
  });
  afterAll(async () => {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const run = (...args: string[]) => curtail(dataDir, ['admin', ...args], env);

  function rowsOf({ code, out, err }: CommandEnd): Row[] {
    expect([code, err]).toEqual([0, '']);
    return out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Row]));
  }

  const get = (path: string, token: string) =>
    request(service.url)
      .get(path)
      .set({ 'X-Forwarded-For': anAddress(), ...bearer(token) });

  async function aLinkOf({ accessToken }: TestAccount): Promise<{ id: string; alias: string }> {
    const long_url = `https://example.com/${Math.random()}`;
    const answer = await post(service, '/api/v1/shorten', { long_url }).set(bearer(accessToken));
    expect(answer.status).toBe(201);
    return answer.body as { id: string; alias: string };
  }

  async function entriesOn({ userId }: TestAccount): Promise<Row[]> {
    const { body } = await get(`/api/v1/admin/trail?subject=${userId}`, admin.accessToken);
    return body.items as Row[];
  }

  it(`suspends accounts${embedded ? ' and ends suspensions' : ''}, in every process`, async () => {
    const user = await aVerifiedAccount(service);
    const { alias } = await aLinkOf(user);
    const withToken = () => get('/api/v1/urls', user.accessToken);
    const visiting = () => visit(service, alias);
    expect(await statusesOf(withToken)).toEqual([200]);
    expect(await statusesOf(visiting)).toEqual([302]);

    const reason = 'Spam \u001b[31m';
    const suspended = await run('suspend', user.email.toUpperCase(), '--reason', reason, '--json');
    expect(rowsOf(suspended)).toMatchObject([
      { id: user.userId, sessions: 0, suspended: { by: null, reason } },
    ]);
    expect(mailsTo(service, user.email).filter((mail) => mail.includes('Spam'))).toHaveLength(1);
    await becomesEverywhere(withToken, 401);
    await becomesEverywhere(visiting, 410);
    // All commands connect to the database in the same way.
    if (!embedded) return;
    const listed = await run('list-accounts', '--status', 'suspended');
    expect(listed.out).toMatch(/ suspended .*Spam \ufffd\[31m\n$/);

    const other = rowsOf(await run('suspend', user.userId, '--reason', 'Phishing', '--json'));
    const { at } = rowsOf(suspended)[0]?.['suspended'] as Row;
    expect(other).toMatchObject([{ suspended: { at, reason: 'Phishing' } }]);
    expect((await run('unsuspend', user.userId)).code).toBe(0);
    await becomesEverywhere(visiting, 302);
    expect(await entriesOn(user)).toMatchObject([
      { act: 'account.unsuspend', actor: { id: null, via: 'cli' }, reason: null },
      { act: 'account.suspend', reason: 'Phishing', before: { suspended: true } },
      { act: 'account.suspend', reason, before: { suspended: false } },
    ]);
  });

  if (embedded) {
    it('finds accounts in the same way as the app', async () => {
      const user = await aVerifiedAccount(service);
      await aLinkOf(user);
      const { body } = await get(`/api/v1/admin/accounts/${user.userId}`, admin.accessToken);
      const part = user.email.slice(0, 12).toUpperCase();
      expect(rowsOf(await run('list-accounts', '--search', part, '--json'))).toEqual([body]);
      const admins = rowsOf(await run('list-accounts', '--role=admin', '--json'));
      expect(admins).toMatchObject([{ email: ADMIN_EMAIL, role: 'admin' }]);
      const unverified = await anAccount(service);
      const ofStatus = (status: string) => run('list-accounts', '--status', status, '--json');
      expect(rowsOf(await ofStatus('unverified'))).toMatchObject([{ id: unverified.userId }]);
      const { out } = await run('list-accounts', '--search', user.email);
      expect(out).toMatch(
        new RegExp(`^id .*\\n${user.userId}  ${user.email}  user  active  1 .*\\n$`),
      );
    });

    it('ends sessions', async () => {
      const user = await aVerifiedAccount(service);
      const refresh = () => post(service, '/auth/refresh').set('Cookie', user.cookies);
      const ended = rowsOf(await run('end-sessions', user.email, '--json'));
      expect(ended).toMatchObject([{ id: user.userId, sessions: 0 }]);
      expect((await refresh()).status).toBe(401);
      expect((await run('end-sessions', user.email)).code).toBe(0);
      expect(await entriesOn(user)).toMatchObject([
        { act: 'account.end_sessions', actor: { via: 'cli' }, after: { sessions: 0 } },
      ]);
    });

    it('deletes accounts after a confirmation', async () => {
      const user = await aVerifiedAccount(service);
      const begun = rowsOf(
        await run('delete-account', user.email, '--reason', 'Asked', '--yes', '--json'),
      );
      expect(begun).toMatchObject([{ email: user.email, job: { kind: 'account_deletion' } }]);
      const database = await databaseOf(service);
      await accountGone(database, user.userId);
      await database.close();
      expect(rowsOf(await run('list-accounts', '--search', user.email, '--json'))).toEqual([]);
      expect((await run('delete-account', user.email, '--reason', 'Asked', '--yes')).code).toBe(1);
      expect(await entriesOn(user)).toMatchObject([
        { act: 'account.delete', actor: { id: null, via: 'cli' }, reason: 'Asked' },
      ]);
    });

    it('prints a code for a new password, and sends no email', async () => {
      const user = await aVerifiedAccount(service);
      const mails = mailsTo(service, user.email).length;
      const [reset] = rowsOf(await run('reset-password', user.userId, '--json'));
      expect(reset).toMatchObject({
        id: user.userId,
        sessions: 0,
        code: expect.stringMatching(/^\d{6}$/),
        page: `${service.url}/login/reset-password`,
        expires_at: expect.stringMatching(/Z$/),
      });
      expect((await post(service, '/auth/refresh').set('Cookie', user.cookies)).status).toBe(401);
      const password = `${STRONG_PASSWORD}-2`;
      const body = { email: user.email, code: reset?.code, password };
      expect((await post(service, '/auth/reset-password', body)).status).toBe(200);
      expect((await post(service, '/auth/login', { email: user.email, password })).status).toBe(
        200,
      );
      const since = mailsTo(service, user.email).slice(mails);
      expect(since.filter((mail) => mail.includes(String(reset?.code)))).toEqual([]);
      const { out } = await run('reset-password', user.email);
      expect(out).toMatch(/^email .*\n\S+ +\d{6} +\S+\/login\/reset-password +\S+Z\n$/);
      expect(await entriesOn(user)).toMatchObject([
        { act: 'account.password_reset', actor: { via: 'cli' } },
        { act: 'account.password_reset', before: { sessions: expect.any(Number) } },
      ]);
    });

    it('shows an overview of the service', async () => {
      const [overview] = rowsOf(await run('overview', '--json'));
      const { body } = await get('/api/v1/admin/overview', admin.accessToken);
      expect(Object.keys(overview ?? {})).toEqual(Object.keys(body as object));
      expect(overview).toMatchObject({
        version: body.version,
        started_at: null,
        accounts: { total: expect.any(Number), admins: 1 },
        lists: { hosts: 2, patterns: 0, unreadable: 1 },
        mail: { transport: 'outbox' },
      });
      const { out } = await run('overview');
      expect(out).toMatch(/^figure +value\n/);
      expect(out).toMatch(/^accounts\.admins +1$/m);
      expect(out).toMatch(/^started_at +–$/m);
    });

    it('shows open reports, without control characters in their texts', async () => {
      const { id, alias } = await aLinkOf(admin);
      const item = { code_or_url: alias, reason: 'phishing', details: 'Looks \u009b31m real' };
      const sent = await post(service, '/api/v1/reports', { items: [item] });
      expect([sent.status, sent.body.accepted]).toEqual([200, 1]);
      const json = await run('reports', '--json');
      expect(json.out.replaceAll('\n', '')).not.toMatch(/\p{C}/u);
      expect(rowsOf(json)).toMatchObject([
        { state: 'open', count: 1, reasons: { phishing: 1 }, url: { id }, entries: [{}] },
      ]);
      expect((await run('reports')).out).toMatch(/^id .*\n\S+ +1 +phishing 1 .*ACTIVE.*\n$/);
      await run('delete-link', id);
      expect(rowsOf(await run('reports', '--json'))).toMatchObject([{ url: null }]);
    });

    it('shows the same columns as the files of lists', async () => {
      const [listed] = rowsOf(await run('lists', '--json'));
      expect(listed).toMatchObject({
        hosts: {
          file: 'hosts.txt',
          entries: 2,
          unreadable: { total: 1, lines: [{ line: 3 }] },
          error: null,
          walk: { state: expect.any(String) },
        },
        urls: { file: null, entries: 0 },
      });
      expect((await run('lists')).out).toMatch(
        /^list .*\nhosts +hosts\.txt +2 +1 .*\nurls +– .*\n$/,
      );
      // The running service does not read this file.
      const BLOCKED_HOSTS_FILE = join(dataDir, 'too-many.txt');
      writeFileSync(
        BLOCKED_HOSTS_FILE,
        Array.from({ length: 1_000_001 }, (_, i) => `h${i}.example`).join('\n'),
      );
      const command = ['admin', 'lists', '--json'];
      const [excessive] = rowsOf(await curtail(dataDir, command, { ...env, BLOCKED_HOSTS_FILE }));
      expect(excessive).toMatchObject({ hosts: { entries: 0, error: expect.any(String) } });
    });

    it.each(BAD_INPUT)('exits for %j with the code %d', async (args, code) => {
      const ended = await run(...args);
      expect([args, ended.code, ended.out]).toEqual([args, code, '']);
      if (code === 1) expect(ended.err).toMatch(/^[^\n]+\n$/);
    });
  }

  it('works while the service is stopped', async () => {
    const user = await aVerifiedAccount(service);
    await service.kill('SIGTERM');
    const suspended = rowsOf(await run('suspend', user.email, '--reason', 'Spam', '--json'));
    expect(suspended).toMatchObject([{ suspended: { reason: 'Spam' } }]);
    expect((await run('unsuspend', user.email)).code).toBe(0);
  });
});
