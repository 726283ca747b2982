import { appendFileSync } from 'node:fs';

/**
 * Jest reporter that appends one JSON line per started and ended test file to
 * CURTAIL_TEST_NOTES; notes survive an aborted run.
 */
export default class NotingReporter {
  onTestFileStart({ path }) {
    note({ name: path, isOver: false });
  }

  onTestFileResult({ path }, { testResults, testExecError }) {
    const count = (status) => testResults.filter((test) => test.status === status).length;
    note({
      name: path,
      isOver: true,
      passed: count('passed'),
      // A file that fails to load counts as a failure.
      failed: Math.max(count('failed'), testExecError ? 1 : 0),
      skipped: count('pending'),
    });
  }
}

const note = (line) => appendFileSync(process.env.CURTAIL_TEST_NOTES, `${JSON.stringify(line)}\n`);
