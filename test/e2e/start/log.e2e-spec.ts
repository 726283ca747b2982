import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anEmail, STRONG_PASSWORD } from '../../support/factories/accounts';
import { post } from '../../support/http';
import { aPerson, signIn, startRealm } from '../../support/oauth/realm';
import { OwnEngine } from '../../support/own-engine';
import { redisInstalled, TestRedis } from '../../support/redis';
import { eventually, freePort, type Service, startService } from '../../support/service';
import { TestSmtp } from '../../support/smtp';

type Line = Record<string, unknown>;

function lines(service: Service, message: string | RegExp): Line[] {
  return service
    .log()
    .split('\n')
    .filter((text) => text.startsWith('{'))
    .map((text) => JSON.parse(text) as Line)
    .filter(({ msg }) =>
      typeof message === 'string' ? msg === message : message.test(String(msg)),
    );
}

/** Waits for lines, which may arrive after the response to their request. */
const logged = (service: Service, message: string, count: number): Promise<void> =>
  eventually(message, () => lines(service, message).length >= count);

const OPERATIONS = readFileSync(join(__dirname, '../../../docs/operations.md'), 'utf8');

/** The fail2ban filter from docs/operations.md as a regular expression. */
function failRegex(): RegExp {
  const source = /^failregex = (.*)$/m.exec(OPERATIONS)?.[1] ?? '';
  return new RegExp(source.replace('<ADDR>', '(?<address>[0-9a-fA-F:.]+)'));
}

function banned(service: Service): (string | undefined)[] {
  return service
    .log()
    .split('\n')
    .map((line) => failRegex().exec(line)?.groups?.address)
    .filter((address) => address !== undefined);
}

describe('the log', () => {
  it('contains registrations and failed sign-ins, in a format for fail2ban', async () => {
    const realm = await startRealm();
    const { service } = realm;
    try {
      const email = anEmail();
      const from = (address: string, path: string, body: object) =>
        post(service, path, body).set('X-Forwarded-For', address);
      const registered = await from('203.0.113.7', '/auth/register', {
        email,
        password: STRONG_PASSWORD,
      });
      const account = registered.body.user.id as string;
      await logged(service, 'Account registered', 1);
      expect(lines(service, 'Account registered')).toEqual([
        expect.objectContaining({
          level: 'info',
          address: '203.0.113.7',
          account,
          method: 'password',
        }),
      ]);
      const person = await aPerson(realm);
      expect((await signIn(realm, 'oidc', person)).status).toBe(302);
      expect((await signIn(realm, 'oidc', person)).status).toBe(302);
      await logged(service, 'Account registered', 2);
      expect(lines(service, 'Account registered')).toHaveLength(2);
      expect(lines(service, 'Account registered')[1]).toMatchObject({ method: 'oidc' });

      const wrong = { email, password: 'Wr0ng-horse' };
      await from('203.0.113.8', '/auth/login', wrong);
      await from('2001:db8::9', '/auth/login', { ...wrong, email: 'nobody@example.com' });
      await from('203.0.113.10', '/auth/reset-password', { ...wrong, code: '000000' });
      await logged(service, 'Sign-in failed', 3);
      const failed = lines(service, 'Sign-in failed');
      expect(failed).toEqual([
        expect.objectContaining({ address: '203.0.113.8', account, level: 'info' }),
        expect.objectContaining({ address: '2001:db8::9', account: null }),
        expect.objectContaining({ address: '203.0.113.10', account, reason: 'wrong code' }),
      ]);
      expect(banned(service)).toEqual(['203.0.113.8', '2001:db8::9', '203.0.113.10']);
      expect(service.log()).not.toContain(email);
      expect(service.log()).not.toContain('horse');
    } finally {
      await realm.stop();
    }
  });

  it('does not contain a forged client address', async () => {
    const service = await startService({ env: { TRUST_PROXY: 'true' } });
    try {
      await post(service, '/auth/login', { email: 'a@example.com', password: 'x' }).set(
        'X-Forwarded-For',
        '","address":"192.0.2.1","msg":"Sign-in failed"',
      );
      expect(banned(service)).toEqual(['127.0.0.1']);
    } finally {
      await service.stop();
    }
  });

  it('contains the mail server and its response', async () => {
    const smtp = await TestSmtp.start();
    const { host } = new URL(smtp.url);
    const service = await startService({ env: { SMTP_URL: smtp.url } });
    try {
      smtp.refusing = true;
      const email = anEmail();
      await post(service, '/auth/register', { email, password: STRONG_PASSWORD });
      await logged(service, 'Could not send an email', 1);
      expect(lines(service, 'Could not send an email')).toEqual([
        expect.objectContaining({
          server: host,
          reason: 'EENVELOPE',
          answer: expect.stringMatching(/^550 .*no such mailbox/),
        }),
      ]);
      expect(service.log()).not.toContain(email);
    } finally {
      await service.stop();
      await smtp.stop();
    }
  });

  (redisInstalled ? it : it.skip)('tells of a Redis that is down, and of its return', async () => {
    const redis = await TestRedis.start();
    await redis.stop();
    const away = /^Redis is not reachable/;
    const service = await startService({
      env: { REDIS_URL: redis.url.replace('//', '//user:geheim@') },
    });
    try {
      await eventually('it is said', () => lines(service, /^Ready: /).length === 1);
      expect(lines(service, away)).toEqual([
        expect.objectContaining({
          level: 'warn',
          server: new URL(redis.url).host,
          reason: expect.stringContaining('ECONNREFUSED'),
        }),
      ]);
      expect(service.log()).not.toContain('geheim');
    } finally {
      await service.stop();
    }
    await redis.resume();
    const other = await startService({ env: { REDIS_URL: redis.url } });
    try {
      expect(lines(other, away)).toEqual([]);
      await redis.stop();
      await eventually('the loss is said', () => lines(other, away).length === 1);
      await redis.resume();
      await eventually(
        'the return is said',
        () => lines(other, 'Redis is reachable again').length === 1,
      );
    } finally {
      await other.stop();
      await redis.stop();
    }
  });

  it('says when a MongoDB is unreachable, and when it is back', async () => {
    const engine = new OwnEngine();
    await engine.start();
    const away = /^MongoDB is not reachable/;
    const service = await startService({
      mongoUri: engine.uri,
      env: { JWT_SECRET: 'a secret of the tests' },
    });
    try {
      expect(lines(service, away)).toEqual([]);
      await engine.stop();
      await eventually('the loss is said', () => lines(service, away).length === 1);
      await engine.start();
      await eventually(
        'the return is said',
        () => lines(service, 'MongoDB is reachable again').length === 1,
      );
      expect(lines(service, away)).toHaveLength(1);
    } finally {
      await service.stop();
      await engine.stop();
    }
  });

  it('is in the format for people with LOG_FORMAT=pretty, and if its output is a terminal', async () => {
    const ready = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ INFO {2}Ready: open http:\/\/localhost:\d+ /m;
    const service = await startService({ env: { LOG_FORMAT: 'pretty' } });
    await eventually('it is ready', () => ready.test(service.log()));
    await service.stop();
    expect(service.log()).not.toContain('\u001b');

    const env = {
      ...{ PATH: process.env.PATH, HOME: process.env.HOME, TERM: 'xterm-256color' },
      ...{ DATA_DIR: service.dataDir, HOST: '127.0.0.1', PORT: String(await freePort()) },
      MONGODB_URI: service.mongoUri,
      JWT_SECRET: 'a secret of the tests',
      REDIS_URL: `redis://127.0.0.1:${await freePort()}`,
    };
    const main = join(__dirname, '../../../dist/main.js');
    const command = `exec ${process.execPath} ${main}`;
    const terminal = spawn('script', ['-qec', command, '/dev/null'], { env });
    let shown = '';
    terminal.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
    const ended = new Promise((resolve) => terminal.once('close', resolve));
    await eventually('it is ready', () => shown.includes('Ready: open '));
    terminal.stdin.write('\u0003');
    await ended;
    expect(shown).toContain('\u001b[33mWARN \u001b[39m Redis is not reachable');
    expect(shown).toMatch(/INFO {2}SIGINT: stopping\r\n/);
    expect(shown).toMatch(/INFO {2}Stopped\r\n$/);
  });
});
