import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SCRIPT = join(__dirname, '../../scripts/test.mjs');
/** Fails on its first run in a folder, passes on the second. */
const FLAKY = `
  const { existsSync, writeFileSync } = require('node:fs');
  const ran = () => existsSync('ran') && (writeFileSync('ran-twice', ''), true);
  test('passes on the second try', () => {
    if (!ran()) { writeFileSync('ran', ''); throw new Error('not yet'); }
  });
`;

describe('the second try of a file that failed', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'curtail-second-try-'));
    writeFileSync(join(folder, 'jest.config.cjs'), 'module.exports = { transform: {} };');
    writeFileSync(join(folder, 'flaky.test.js'), FLAKY);
    writeFileSync(join(folder, 'sound.test.js'), "test('passes', () => {});");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const npmTest = (CI?: string) =>
    spawnSync(process.execPath, [SCRIPT, '--maxWorkers=1'], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...(CI === undefined ? {} : { CI }) },
    });

  it('is for people, who are told which file it was', () => {
    const { status, stdout } = npmTest();
    expect(stdout).toBe(
      'failed:\n  flaky.test.js\n' +
        'tests: 2 passed, 0 failed, 1 of 1 failed files passed on the second try\n',
    );
    expect(status).toBe(0);
  });

  it('is not made in CI, which fails and names the file', () => {
    const { status, stdout } = npmTest('1');
    expect(stdout).toBe('failed:\n  flaky.test.js\ntests: 1 passed, 1 failed\n');
    expect(status).toBe(1);
    expect(existsSync(join(folder, 'ran-twice'))).toBe(false);
  });
});
