// `npm test`: runs all tests, then lists failed files and a summary line. Outside CI, up to three
// failed files run again. A run that exceeds its time limit is aborted and its running files fail.
// Tests that need a program that is not installed are skipped; in CI they fail. Arguments go to
// Jest: `npm test -- links/shorten` filters files by path.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';

const MAX_FILES_AGAIN = process.env.CI ? 0 : 3;
const MAX_SECONDS = 51 * 60;
const args = process.argv.slice(2);
const folders = (process.env.PATH ?? '').split(delimiter);
const isInstalled = (name) => folders.some((dir) => existsSync(join(dir, name)));
const missing = ['chromium', 'redis-server', 'clickhouse-server', 'caddy'].filter(
  (name) => !isInstalled(name) && !(name === 'chromium' && isInstalled('chromium-headless-shell')),
);
if (process.env.CI && args.length === 0 && missing.length > 0) {
  console.error(`Not installed: ${missing.join(', ')}. CI runs the tests of all of them.`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'curtail-results-'));
const jest = join(import.meta.dirname, '..', 'node_modules', 'jest', 'bin', 'jest.js');
const reporter = join(import.meta.dirname, 'test-reporter.mjs');
const ends = new Set();

// Ctrl-C does not reach the runs, which have their own process groups.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => ends.forEach((end) => end(`Ended by ${signal}`)));
}

/** Ends a run's remaining processes. */
function endGroup(group) {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // No process is left.
  }
}

function notedFiles(notes) {
  const lines = readFileSync(notes, 'utf8').split('\n').filter(Boolean);
  const files = new Map(lines.map((line) => JSON.parse(line)).map((file) => [file.name, file]));
  return [...files.values()].map((file) => ({ passed: 0, failed: 1, skipped: 0, ...file }));
}

/** Suites that depend on ClickHouse. Access to statistics and their format do not. */
const STATISTICS = [
  'integration/analytics/(account|link)-statistics',
  'e2e/analytics/(audience|buckets|deleted-clicks|export|statistics\\.e2e|tags)',
  'e2e/(legacy/(many-values|stats\\.e2e)|overview|accounts/account-export)',
];

function run(args, name, env = {}) {
  const notes = join(folder, name);
  writeFileSync(notes, '');
  // Without forceExit, a connection or loop left by a failed test would keep Jest running.
  const options = [...args, '--forceExit', '--reporters=default', `--reporters=${reporter}`];
  const child = spawn(process.execPath, [jest, ...options], {
    detached: true,
    env: { ...process.env, ...env, CURTAIL_TEST_NOTES: notes },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let isEnded = false;
  const end = (reason) => {
    isEnded = true;
    console.error(`\n${reason}: jest ${args.join(' ')}`);
    endGroup(child.pid);
  };
  ends.add(end);
  const bound = setTimeout(() => end(`Ended after ${MAX_SECONDS} s`), MAX_SECONDS * 1000);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(bound);
      ends.delete(end);
      endGroup(child.pid);
      resolve({ code: code ?? 1, isEnded, files: notedFiles(notes) });
    });
  });
}

/** These files mostly wait for processes that hang or restart, so others run alongside. */
async function runFaults() {
  const runs = [await run(['--selectProjects', 'faults', '--runInBand'], 'faults')];
  if (!missing.includes('clickhouse-server')) {
    const options = ['--testPathPatterns', STATISTICS.join('|'), '--maxWorkers=1'];
    runs.push(await run(options, 'clickhouse', { CURTAIL_TEST_CLICKS: 'clickhouse' }));
  }
  return runs;
}

async function runAll() {
  if (args.length > 0) return run(args, 'run');
  const lanes = await Promise.all([
    runFaults(),
    run(['--ignoreProjects', 'faults', '--maxWorkers=3'], 'others'),
  ]);
  const runs = lanes.flat();
  return {
    code: runs.find(({ code }) => code !== 0)?.code ?? 0,
    isEnded: runs.some(({ isEnded }) => isEnded),
    files: runs.flatMap(({ files }) => files),
  };
}

const count = (files, status) => files.reduce((sum, file) => sum + file[status], 0);
const listed = (files) =>
  files
    .map(({ name, isOver }) => `  ${relative('.', name)}${isOver ? '' : ' (was running)'}`)
    .join('\n');

try {
  let { code, isEnded, files } = await runAll();
  let again = '';
  const failed = files.filter((file) => file.failed > 0);
  if (!isEnded && failed.length > 0 && failed.length <= MAX_FILES_AGAIN) {
    console.error(`\nSecond try of the failed files:\n${listed(failed)}\n`);
    const names = failed.map((file) => file.name);
    const second = await run(['--runInBand', '--runTestsByPath', ...names], 'again');
    code = second.code;
    const passed = second.files.filter((file) => file.failed === 0).length;
    again = `, ${passed} of ${failed.length} failed files passed on the second try`;
    files = [...files.filter((file) => file.failed === 0), ...second.files];
  }
  if (failed.length > 0) console.log(`failed:\n${listed(failed)}`);
  const skipped = count(files, 'skipped');
  if (skipped > 0 && missing.length > 0) {
    console.log(`skipped, because not installed: ${missing.join(', ')}`);
  }
  // Jest may fail without a failed file, for example during setup.
  const failures = Math.max(count(files, 'failed'), code === 0 ? 0 : 1);
  console.log(
    `tests: ${count(files, 'passed')} passed, ${failures} failed${skipped > 0 ? `, ${skipped} skipped` : ''}${again}`,
  );
  process.exitCode = code;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
