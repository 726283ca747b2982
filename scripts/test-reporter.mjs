import { appendFileSync } from 'node:fs';

/**
 * A reporter of Jest that notes the start and the end of each file of tests in the file that
 * CURTAIL_TEST_NOTES names, a line of JSON each: a run that has to be ended has left them, too.
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
      // A file that could not even be loaded counts as a failure.
      failed: Math.max(count('failed'), testExecError ? 1 : 0),
      skipped: count('pending'),
    });
  }
}

const note = (line) => appendFileSync(process.env.CURTAIL_TEST_NOTES, `${JSON.stringify(line)}\n`);
