import { createInterface } from 'node:readline';
import { ProcessLock } from '../../../src/processes/process-lock';
import { LockHeldError } from '../../../src/processes/processes.errors';

/** Tries to lock each path read from stdin, keeps its locks and reports on stdout. */
console.log('here');
createInterface({ input: process.stdin }).on('line', (path) => {
  try {
    ProcessLock.acquire(path);
    console.log(`won ${process.pid}`);
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw error;
    console.log(`lost ${error.pid}`);
  }
});
