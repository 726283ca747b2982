// `npm test`: every test, unit, end to end and faults, with one summary line at the end.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'curtail-results-'));
const results = join(folder, 'results.json');
const jest = join(import.meta.dirname, '..', 'node_modules', 'jest', 'bin', 'jest.js');
const child = spawn(
  process.execPath,
  [jest, ...process.argv.slice(2), '--json', '--outputFile', results],
  { stdio: ['inherit', 'ignore', 'inherit'] },
);

child.on('close', (code) => {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numFailedTestSuites } = JSON.parse(
      readFileSync(results, 'utf8'),
    );
    const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : '';
    // A suite that could not even be loaded counts as a failure.
    const failed = Math.max(numFailedTests, numFailedTestSuites);
    console.log(`tests: ${numPassedTests} passed, ${failed} failed${skipped}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  process.exit(code ?? 1);
});
