/** The journal could not be emptied in the time given for it; what is left waits in it. */
export class DrainTimeoutError extends Error {
  constructor(timeoutMs: number) {
    super(`The journal is not recorded completely after ${timeoutMs} ms`);
    this.name = 'DrainTimeoutError';
  }
}
