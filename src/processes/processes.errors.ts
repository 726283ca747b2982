/** The child cannot run here and retrying is pointless; the message gives the reason. */
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
