// `npm test`: every test, unit, end to end and faults, with one summary line at the end. Up to three
// files that fail beside the others are run once more by themselves; what passes only then is said.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const AGAIN_FILES = 3;
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

const count = (files, status) =>
  files.flatMap((file) => file.assertionResults).filter((test) => test.status === status).length;
const failedFiles = (files) => files.filter((file) => file.status === 'failed');

try {
  let { code, files } = await run(process.argv.slice(2), 'results.json');
  let again = '';
  const failed = failedFiles(files).map((file) => file.name);
  if (failed.length > 0 && failed.length <= AGAIN_FILES) {
    console.error(`\nOnce more, by themselves:\n  ${failed.join('\n  ')}\n`);
    const second = await run(['--runInBand', '--runTestsByPath', ...failed], 'again.json');
    code = second.code;
    again = `, ${failed.length - failedFiles(second.files).length} of ${failed.length} failed files passed on the second try`;
    files = [...files.filter((file) => !failed.includes(file.name)), ...second.files];
  }
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
