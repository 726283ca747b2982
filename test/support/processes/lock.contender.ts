import { createInterface } from 'node:readline';
import { ProcessLock } from '../../../src/processes/process-lock';
import { LockHeldError } from '../../../src/processes/processes.errors';

/** Tries to take each lock whose path it reads from stdin, holds what it gets, tells on stdout. */
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
