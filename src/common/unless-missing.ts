/** For `catch`: undefined for a file that is not there; throws any other error on. */
export function unlessMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
