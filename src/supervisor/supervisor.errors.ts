/** Another service works on the same DATA_DIR. */
export class DataDirInUseError extends Error {
  constructor(dir: string, pid: number) {
    super(`DATA_DIR ${dir} is in use by another Curtail (process ${pid}); give this one its own`);
    this.name = 'DataDirInUseError';
  }
}

/** The web workers cannot be started; what is wrong stands above it in the log. */
export class WorkerFailedError extends Error {
  constructor(reason: string) {
    super(`A web worker ended at its start (${reason})`);
    this.name = 'WorkerFailedError';
  }
}
