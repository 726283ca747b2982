import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { eventually } from '../support/shared/eventually';

const SCRIPT = join(__dirname, '../../scripts/test.mjs');
const SOUND = "test('passes', () => {});";
const FLAKY = `
  const { existsSync, writeFileSync } = require('node:fs');
  const ran = () => existsSync('ran') && (writeFileSync('ran-twice', ''), true);
  test('passes on the second try', () => {
    if (!ran()) { writeFileSync('ran', ''); throw new Error('not yet'); }
  });
`;
/** A test that fails and leaves behind a loop and a process that hold the run's outputs open. */
const UNTIDY = `
  const { spawn } = require('node:child_process');
  test('fails', () => {
    setInterval(() => {}, 1000);
    spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
    throw new Error('never');
  });
`;
const ENDLESS = `
  const never = () => new Promise(() => {
    setInterval(() => {}, 1000);
    require('node:fs').writeFileSync('begun', '');
  });
  test('is over after a day', never, 86_400_000);
`;

describe('npm test', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'curtail-test-runs-'));
    write('jest.config.cjs', 'module.exports = { transform: {} };');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (name: string, content: string) => writeFileSync(join(folder, name), content);
  const command = [SCRIPT, '--maxWorkers=1'];
  const options = (CI?: string, PATH = process.env.PATH) => ({
    cwd: folder,
    env: { PATH, HOME: process.env.HOME, ...(CI === undefined ? {} : { CI }) },
  });
  const npmTest = (CI?: string) =>
    spawnSync(process.execPath, command, { ...options(CI), encoding: 'utf8' });

  it('runs a failed file again once for people, and reports the file', () => {
    write('sound.test.js', SOUND);
    write('flaky.test.js', FLAKY);
    const { status, stdout } = npmTest();
    expect(stdout).toBe(
      'failed:\n  flaky.test.js\n' +
        'tests: 2 passed, 0 failed, 1 of 1 failed files passed on the second try\n',
    );
    expect(status).toBe(0);
  });

  it('does not retry in CI, but fails and reports the file', () => {
    write('sound.test.js', SOUND);
    write('flaky.test.js', FLAKY);
    const { status, stdout } = npmTest('1');
    expect(stdout).toBe('failed:\n  flaky.test.js\ntests: 1 passed, 1 failed\n');
    expect(status).toBe(1);
    expect(existsSync(join(folder, 'ran-twice'))).toBe(false);
  });

  it('reports the missing programs whose tests it skips', () => {
    write('skipping.test.js', `${SOUND} test.skip('needs a program', () => {});`);
    const run = { ...options(undefined, '/nowhere'), encoding: 'utf8' } as const;
    expect(spawnSync(process.execPath, command, run).stdout).toBe(
      'skipped, because not installed: chromium, redis-server, clickhouse-server, caddy\n' +
        'tests: 1 passed, 0 failed, 1 skipped\n',
    );
  });

  it('runs nothing in CI if such a program is missing', () => {
    write('sound.test.js', SOUND);
    const run = { ...options('1', '/nowhere'), encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT], run);
    expect(stderr).toContain('Not installed: chromium, redis-server, clickhouse-server, caddy.');
    expect(stdout).toBe('');
    expect(status).toBe(1);
  });

  it('ends all processes left by a failed test', () => {
    write('untidy.test.js', UNTIDY);
    // Reads until the outputs close, which a remaining process would prevent.
    const { status, stdout } = npmTest('1');
    expect(stdout).toBe('failed:\n  untidy.test.js\ntests: 0 passed, 1 failed\n');
    expect(status).toBe(1);
  });

  it('counts a file that cannot be loaded, and a run without files, as failed', () => {
    write('broken.test.js', 'throw new Error();');
    expect(npmTest('1').stdout).toBe('failed:\n  broken.test.js\ntests: 0 passed, 1 failed\n');
    write('jest.config.cjs', 'module.exports = { transform: {}, globalSetup: "./nothing.js" };');
    expect(npmTest('1')).toMatchObject({ status: 1, stdout: 'tests: 0 passed, 1 failed\n' });
  });

  it('reports which test was running if it is terminated, and fails', async () => {
    write('endless.test.js', ENDLESS);
    const run = spawn(process.execPath, command, {
      ...options(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const printed = Promise.all([text(run.stdout), text(run.stderr), once(run, 'close')]);
    await eventually('the test has begun', () => existsSync(join(folder, 'begun')));
    run.kill('SIGTERM');
    const [stdout, stderr, [status]] = await printed;
    expect(stderr).toContain('Ended by SIGTERM: jest --maxWorkers=1');
    expect(stdout).toBe('failed:\n  endless.test.js (was running)\ntests: 0 passed, 1 failed\n');
    expect(status).toBe(1);
  });
});
