/** Another service works on the same DATA_DIR. */
export class DataDirInUseError extends Error {
  constructor(dir: string, pid: number) {
    super(`DATA_DIR ${dir} is in use by another Curtail (process ${pid}); give this one its own`);
    this.name = 'DataDirInUseError';
  }
}
