// Finds flaky tests: runs each end-to-end and fault file five times under processor load and
// lists files that failed at least once. An interrupted run resumes unless `--fresh` is given.
// npm run test:repeat -- [--fresh] [--loops=2] [--workers=2] [word in path…]
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { parseArgs } from 'node:util';

const ROUNDS = 5;
const root = join(import.meta.dirname, '..');
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
const reporter = join(import.meta.dirname, 'test-reporter.mjs');
/** Stores each round's notes: one JSON line at the start and end of each test file. */
const folder = join(root, 'node_modules', '.repeated-tests');
const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    fresh: { type: 'boolean', default: false },
    loops: { type: 'string', default: '2' },
    workers: { type: 'string', default: '2' },
  },
});

if (values.fresh) rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const notesPath = (round) => join(folder, `round-${round}.jsonl`);

function results(round) {
  if (!existsSync(notesPath(round))) return new Map();
  const lines = readFileSync(notesPath(round), 'utf8').split('\n').filter(Boolean);
  const over = lines.map((line) => JSON.parse(line)).filter(({ isOver }) => isOver);
  return new Map(over.map(({ name, failed }) => [name, failed === 0]));
}

function listFiles() {
  // Jest takes words after the option as projects, and prints a heading before the files.
  const args = [jest, '--listTests', ...words, '--selectProjects', 'e2e', 'faults'];
  const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  return stdout.split('\n').filter(isAbsolute).sort();
}

function run(paths, round) {
  const options = ['--forceExit', '--reporters=default', `--reporters=${reporter}`];
  const workers = `--maxWorkers=${values.workers}`;
  const args = [jest, ...options, workers, '--runTestsByPath', ...paths];
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, CURTAIL_TEST_NOTES: notesPath(round) },
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  });
  const end = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The process has ended.
    }
  };
  process.once('exit', end);
  return new Promise((resolve) => child.on('close', resolve)).finally(end);
}

const files = listFiles();
const loops = Array.from({ length: Number(values.loops) }, () => {
  return spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
});
process.on('exit', () => loops.forEach((loop) => loop.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

for (let round = 1; round <= ROUNDS; round += 1) {
  const over = results(round);
  const pending = files.filter((file) => !over.has(file));
  if (pending.length > 0) await run(pending, round);
}

const rounds = Array.from({ length: ROUNDS }, (_, index) => results(index + 1));
const flaky = files
  .map((file) => ({ file, failed: rounds.filter((round) => round.get(file) !== true).length }))
  .filter(({ failed }) => failed > 0);
for (const { file, failed } of flaky)
  console.log(`${relative(root, file)}: failed ${failed} times`);
console.log(`${files.length} files, ${ROUNDS} runs each: ${flaky.length} files failed`);
process.exit(flaky.length > 0 ? 1 : 0);
