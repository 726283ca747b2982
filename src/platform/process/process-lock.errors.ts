/** Another living process holds the lock. */
export class LockHeldError extends Error {
  constructor(
    readonly path: string,
    readonly pid: number,
    readonly host: string,
  ) {
    super(`${path} is held by process ${pid} on ${host}`);
    this.name = 'LockHeldError';
  }
}
