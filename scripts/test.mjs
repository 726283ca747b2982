// `npm test`: every test, unit, end to end and faults, with the files that failed and one summary line at
// the end. For people, up to three failed files run once more by themselves, and the line says how many
// passed only then; in CI (`CI=1`) a file that fails once has failed.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const MAX_FILES_AGAIN = process.env.CI ? 0 : 3;
const folder = mkdtempSync(join(tmpdir(), 'curtail-results-'));
const jest = join(import.meta.dirname, '..', 'node_modules', 'jest', 'bin', 'jest.js');

function run(args, name) {
  const results = join(folder, name);
  const child = spawn(process.execPath, [jest, ...args, '--json', '--outputFile', results], {
    stdio: ['inherit', 'ignore', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      try {
        resolve({ code: code ?? 1, files: JSON.parse(readFileSync(results, 'utf8')).testResults });
      } catch {
        reject(new Error(`Jest ended with ${code} and left no results`));
      }
    });
  });
}

/**
 * Faults mostly wait (for a time-out, for a process to come back): they run beside the other tests, one
 * file at a time.
 */
async function runAll(args) {
  if (args.length > 0) return run(args, 'results.json');
  const [faults, others] = await Promise.all([
    run(['--selectProjects', 'faults', '--runInBand'], 'faults.json'),
    run(['--ignoreProjects', 'faults'], 'others.json'),
  ]);
  return { code: faults.code || others.code, files: [...faults.files, ...others.files] };
}

const count = (files, status) =>
  files.flatMap((file) => file.assertionResults).filter((test) => test.status === status).length;
const failedFiles = (files) =>
  files.filter((file) => file.status === 'failed').map((file) => file.name);
const listed = (names) => names.map((name) => `  ${relative('.', name)}`).join('\n');

try {
  let { code, files } = await runAll(process.argv.slice(2));
  let again = '';
  const failed = failedFiles(files);
  if (failed.length > 0 && failed.length <= MAX_FILES_AGAIN) {
    console.error(`\nOnce more, by themselves:\n${listed(failed)}\n`);
    const second = await run(['--runInBand', '--runTestsByPath', ...failed], 'again.json');
    code = second.code;
    again = `, ${failed.length - failedFiles(second.files).length} of ${failed.length} failed files passed on the second try`;
    files = [...files.filter((file) => !failed.includes(file.name)), ...second.files];
  }
  if (failed.length > 0) console.log(`failed:\n${listed(failed)}`);
  const skipped = count(files, 'pending');
  // A file that could not even be loaded counts as a failure.
  const failures = Math.max(count(files, 'failed'), failedFiles(files).length);
  console.log(
    `tests: ${count(files, 'passed')} passed, ${failures} failed${skipped > 0 ? `, ${skipped} skipped` : ''}${again}`,
  );
  process.exitCode = code;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
