/** The child process cannot run here, and a retry would also fail. The message gives the reason. */
export class ChildFailedError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ChildFailedError';
  }
}

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
