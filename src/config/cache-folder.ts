import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * Where this user's programs keep what can be fetched again: XDG_CACHE_HOME, or `~/.cache` where
 * it is unset or, against its specification, relative.
 */
export function userCacheFolder(): string {
  const { XDG_CACHE_HOME: folder = '' } = process.env;
  return isAbsolute(folder) ? folder : join(homedir(), '.cache');
}
