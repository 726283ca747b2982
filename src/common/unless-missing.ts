/** For `catch`: returns undefined if the file is missing, rethrows other errors. */
export function unlessMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
