import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  constants,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { aLink } from '../../support/factories/links';
import { visit } from '../../support/http';
import { refusedStart } from '../../support/refused-start';
import { eventually, startService } from '../../support/service';

function readLine(line: string): Record<string, string> {
  return JSON.parse(line) as Record<string, string>;
}

const MAIN = join(__dirname, '../../../dist/main.js');
/** A user id without a passwd entry, as in containers. */
const NAMELESS = 54_321;
const NODE_FOLDER = mkdtempSync(join(tmpdir(), 'curtail-node-'));
/** A copy that every user may run; Node.js itself may be in root's home folder. */
const NODE = join(NODE_FOLDER, 'node');
chmodSync(NODE_FOLDER, 0o755);
copyFileSync(process.execPath, NODE, constants.COPYFILE_FICLONE);
const NAMELESS_NODE = ['--reuid', `${NAMELESS}`, '--regid', `${NAMELESS}`, '--clear-groups', NODE];
const canBeNameless =
  spawnSync('setpriv', [...NAMELESS_NODE, '-e', `fs.accessSync(${JSON.stringify(MAIN)})`])
    .status === 0;

afterAll(() => rmSync(NODE_FOLDER, { recursive: true }));

describe('the start of the service', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'curtail-start-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('logs its addresses, its database and its data folder', async () => {
    const service = await startService({ dataDir, embedded: true });
    await eventually('it says so', () => service.log().includes('Ready: '));
    expect(service.log()).toContain(`"msg":"Ready: open http://localhost:${service.port}"`);
    expect(service.log()).toContain(`"listen":"127.0.0.1:${service.port}"`);
    expect(service.log()).toContain(`"database":"embedded, in ${join(dataDir, 'mongo')}"`);
    expect(service.log()).toContain(`"data":"${dataDir}"`);
    const secret = join(dataDir, 'jwt-secret');
    expect(statSync(secret).mode & 0o077).toBe(0);
    expect(service.log()).not.toContain(readFileSync(secret, 'utf8').trim());
    await service.stop();
  });

  const asNameless = canBeNameless ? it : it.skip;
  asNameless('works for a user without a name and a home folder', async () => {
    chownSync(dataDir, NAMELESS, NAMELESS);
    const service = await startService({
      dataDir,
      embedded: true,
      command: ['setpriv', ...NAMELESS_NODE, MAIN],
      env: { HOME: undefined, XDG_CACHE_HOME: undefined },
    });
    expect((await aLink(service)).alias).toMatch(/./);
    expect(await service.stop()).toBe(0);
    const env = { PATH: process.env.PATH, DATA_DIR: dataDir };
    const command = [...NAMELESS_NODE, join(__dirname, '../../../dist/program/cli/curtail.js')];
    const verified = spawnSync('setpriv', [...command, 'verify'], { env, encoding: 'utf8' });
    expect(verified).toMatchObject({ status: 0, stderr: '' });
    expect(verified.stdout).toContain('1 link,');
  });

  it.each([1, 2])(
    'logs insecure settings once, and its shutdown, with %d web processes',
    async (processes) => {
      const service = await startService({
        dataDir,
        env: {
          HOST: '0.0.0.0',
          BASE_URL: 'http://go.example',
          COOKIE_SECURE: 'true',
          TRUST_PROXY: '1',
          JWT_SECRET: 'x'.repeat(32),
          WEB_CONCURRENCY: `${processes}`,
        },
      });
      await eventually('it is ready', () => service.log().includes('Ready: '));
      await eventually('the set-up link is logged', () => service.log().includes('/setup?token='));
      expect(await service.stop()).toBe(0);
      const lines = service.log().trim().split('\n').map(readLine);
      for (const { time } of lines)
        expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const all = lines
        .filter(({ level }) => level === 'warn')
        .map(({ msg }) => msg)
        // A busy machine may delay processes.
        .filter((msg) => !msg?.includes('is slow to start'));
      // The set-up link follows as soon as the database responds.
      const warnings = all.filter((msg) => !msg?.includes('/setup?token='));
      expect(all).toHaveLength(warnings.length + 1);
      const others = lines.filter(({ level }) => level !== 'warn');
      expect(others.map(({ level, msg }) => `${level}: ${msg}`)).toEqual([
        'info: Ready: open http://go.example',
        'info: SIGTERM: stopping',
        'info: Stopped',
      ]);
      expect(warnings).toEqual([
        expect.stringContaining('JWT_SECRET has fewer than 6 different characters'),
        expect.stringContaining('TRUST_PROXY=1 with HOST=0.0.0.0'),
        expect.stringContaining('COOKIE_SECURE=true with BASE_URL=http://go.example'),
      ]);
    },
  );

  it('listens for IPv4 and IPv6 with HOST=[::], and says that links need another BASE_URL', async () => {
    const service = await startService({ dataDir, env: { HOST: '[::]' } });
    for (const host of ['127.0.0.1', '[::1]']) {
      expect((await fetch(`http://${host}:${service.port}/health`)).status).toBe(200);
    }
    await eventually('it is ready', () => service.log().includes('Ready: '));
    expect(service.log()).toContain(`"msg":"Ready: open http://localhost:${service.port}"`);
    expect(service.log()).toContain(`"listen":"[::]:${service.port}"`);
    expect(service.log()).toContain(
      `BASE_URL is http://localhost:${service.port} while HOST=:: accepts other machines`,
    );
    await service.stop();
  });

  it('tells browsers to use only https if BASE_URL is https, in upper or lower case', async () => {
    const service = await startService({ dataDir, env: { BASE_URL: 'Https://go.example/' } });
    const { alias, short_url: shortUrl } = await aLink(service);
    expect(shortUrl).toBe(`https://go.example/${alias}`);
    const stays = { 'strict-transport-security': 'max-age=31536000' };
    expect((await visit(service, alias)).headers).toMatchObject(stays);
    expect((await visit(service, 'health')).headers).toMatchObject(stays);
    await service.stop();
  });

  it('creates the indexes in the database of MONGODB_URI, even if it starts repeatedly', async () => {
    const first = await startService({ dataDir });
    await aLink(first, { alias: 'stays-unique' });
    await eventually('it names it', () => first.log().includes('"database":"MONGODB_URI"'));
    await first.stop();
    expect(existsSync(join(dataDir, 'mongo'))).toBe(false);
    const second = await startService({ dataDir, database: first.database });
    const connection = await mongoose.createConnection(second.mongoUri).asPromise();
    const indexes = await connection.collection('links').indexes();
    await connection.close();
    await second.stop();
    expect(indexes).toContainEqual(expect.objectContaining({ key: { alias: 1 }, unique: true }));
  });

  it.each([
    [{ PORT: 'http' }, 'PORT="http": must be an integer from 1 to 65535'],
    [{ COOKIE_SECURE: '1' }, 'COOKIE_SECURE="1": must be true or false'],
    [{ TRUST_PROXY: 'all of them' }, 'TRUST_PROXY="all of them": must be'],
  ])('stops with a one-line message for the invalid value %p', async (env, line) => {
    const { code, lines } = await refusedStart({ DATA_DIR: dataDir, ...env });
    expect(code).toBe(1);
    expect(lines).toEqual([expect.stringContaining(line)]);
  });

  it('stops with a one-line message for a list with more blocked destinations than it can check', async () => {
    const list = join(dataDir, 'blocked.txt');
    writeFileSync(list, Array.from({ length: 10_001 }, (_, n) => `host${n}`).join('\n'));
    const { code, lines } = await refusedStart({ DATA_DIR: dataDir, BLOCKED_URLS_FILE: list });
    expect(code).toBe(1);
    expect(lines).toEqual([
      expect.stringContaining('may have at most 10000 lines; more would take too long to match'),
    ]);
  });
});
