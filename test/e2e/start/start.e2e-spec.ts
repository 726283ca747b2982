import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { aLink } from '../../support/factories/links';
import { eventually, freePort, startService } from '../../support/service';

const MAIN = join(__dirname, '..', '..', '..', 'dist', 'main.js');

/** Runs the program to its end; for starts that must be refused. */
async function refusedStart(
  env: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(await freePort()), ...env },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

describe('the start', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'curtail-start-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('says where it listens, which database it uses and where its data lies', async () => {
    const service = await startService({ dataDir, embedded: true });
    await eventually('it says so', () => service.log().includes('Data: '));
    expect(service.log()).toContain(`http://127.0.0.1:${service.port}`);
    expect(service.log()).toContain(`embedded, in ${join(dataDir, 'mongo')}`);
    expect(service.log()).toContain(`Data: ${dataDir}`);
    const secret = join(dataDir, 'jwt-secret');
    expect(statSync(secret).mode & 0o077).toBe(0);
    expect(service.log()).not.toContain(readFileSync(secret, 'utf8').trim());
    await service.stop();
  });

  it.each([1, 2])('warns once of what is unsafe, with %d web processes', async (processes) => {
    const service = await startService({
      dataDir,
      env: {
        HOST: '0.0.0.0',
        TRUST_PROXY: '1',
        JWT_SECRET: 'x'.repeat(32),
        WEB_CONCURRENCY: `${processes}`,
      },
    });
    const warnings = service
      .log()
      .split('\n')
      .filter((line) => line.includes('"level":40'));
    await service.stop();
    expect(warnings).toEqual([
      expect.stringContaining('JWT_SECRET is made of fewer than 6 different characters'),
      expect.stringContaining('TRUST_PROXY=1 with HOST=0.0.0.0'),
    ]);
  });

  it('starts nothing embedded when MONGODB_URI is set', async () => {
    const service = await startService({ dataDir });
    expect(existsSync(join(dataDir, 'mongo'))).toBe(false);
    await eventually('it says so', () => service.log().includes('Database: MONGODB_URI'));
    await service.stop();
  });

  it('makes the indexes, however often it starts', async () => {
    const first = await startService({ dataDir });
    await aLink(first, { alias: 'stays-unique' });
    await first.stop();
    const second = await startService({ dataDir, database: first.database });
    const connection = await mongoose.createConnection(second.mongoUri).asPromise();
    const indexes = await connection.collection('links').indexes();
    await connection.close();
    await second.stop();
    expect(indexes).toContainEqual(expect.objectContaining({ key: { alias: 1 }, unique: true }));
  });

  it('refuses a second service on the same DATA_DIR and leaves the first one alone', async () => {
    const service = await startService({ dataDir, embedded: true });
    const { code, output } = await refusedStart({ DATA_DIR: dataDir });
    expect(code).toBe(1);
    expect(output.trim().split('\n')).toHaveLength(1);
    expect(output).toContain('is in use by another Curtail');
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    expect(await service.stop()).toBe(0);
  });

  it.each([
    [{ PORT: 'http' }, 'PORT="http": must be an integer from 1 to 65535'],
    [{ COOKIE_SECURE: '1' }, 'COOKIE_SECURE="1": must be true or false'],
    [{ TRUST_PROXY: 'all of them' }, 'TRUST_PROXY="all of them": must be'],
    [{ MONGODB_URI: 'mongodb://127.0.0.1/x' }, 'JWT_SECRET: must be set when MONGODB_URI is'],
  ])('ends with one line for the wrong value %p', async (env, line) => {
    const { code, output } = await refusedStart({ DATA_DIR: dataDir, ...env });
    expect(code).toBe(1);
    expect(output.trim().split('\n')).toHaveLength(1);
    expect(output).toContain(line);
  });

  it('ends with one line for a list of more blocked destinations than can be checked', async () => {
    const list = join(dataDir, 'blocked.txt');
    writeFileSync(list, Array.from({ length: 10_001 }, (_, n) => `host${n}`).join('\n'));
    const { code, output } = await refusedStart({ DATA_DIR: dataDir, BLOCKED_URLS_FILE: list });
    expect(code).toBe(1);
    expect(output.trim().split('\n')).toHaveLength(1);
    expect(output).toContain('may hold 10000 lines, more cannot be tried in time');
  });

  it('ends with one line when the port is taken', async () => {
    const service = await startService({ dataDir });
    const other = mkdtempSync(join(tmpdir(), 'curtail-port-'));
    const { code, output } = await refusedStart({
      DATA_DIR: other,
      HOST: '127.0.0.1',
      PORT: String(service.port),
      MONGODB_URI: service.mongoUri,
      JWT_SECRET: 'a secret of the end-to-end tests',
    });
    await service.stop();
    rmSync(other, { recursive: true, force: true });
    expect(code).toBe(1);
    expect(output).toMatch(/PORT=\d+: the address is in use/);
  });
});
