/** Another service works on the same DATA_DIR. */
export class DataDirInUseError extends Error {
  constructor(dir: string, pid: number) {
    super(`DATA_DIR ${dir} is in use by another Curtail (process ${pid}); give this one its own`);
    this.name = 'DataDirInUseError';
  }
}

/** Errors whose message says all that an operator needs. */
const EXPECTED = new Set(['ConfigurationError', 'DataDirInUseError', 'ChildFailedError']);

/** What to print when the start failed: one line for what can be repaired, all of it otherwise. */
export function startErrorMessage(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (EXPECTED.has(error.name)) return error.message;
  const { code, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE') return `PORT=${port ?? ''}: the address is in use`;
  if (code === 'EACCES' && port !== undefined) return `PORT=${port}: may not be listened on`;
  return error;
}
