import { existsSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ChildFailedError } from '../../processes/processes.errors';

const MEGABYTE = 1024 * 1024;
/** With less free space MongoDB creates no index, even in an empty collection. */
export const INDEX_MEGABYTES = 500;
/** Includes the initial files of MongoDB. */
export const NEW_DATABASE_MEGABYTES = 520;

export type FreeSpace = (folder: string) => number | null;

const freeSpace: FreeSpace = (folder) => {
  const { bsize, blocks, bavail } = statfsSync(folder);
  return blocks === 0 ? null : bavail * bsize;
};

/**
 * @returns a warning if an existing database has little space, else null
 * @throws ChildFailedError if there is no space for a new database
 */
export function checkFreeSpace(directory: string, free: FreeSpace = freeSpace): string | null {
  const bytes = free(directory);
  if (bytes === null) return null;
  const megabytes = Math.floor(bytes / MEGABYTE);
  const found = `DATA_DIR=${JSON.stringify(dirname(directory))}: only ${megabytes} MB are free`;
  // Exists in every database of the engine.
  if (!existsSync(join(directory, 'WiredTiger'))) {
    if (megabytes >= NEW_DATABASE_MEGABYTES) return null;
    throw new ChildFailedError(
      `${found}, and a new database needs ${NEW_DATABASE_MEGABYTES} MB; free space, set DATA_DIR ` +
        'to another disk, or MONGODB_URI to your own MongoDB',
    );
  }
  if (megabytes >= INDEX_MEGABYTES) return null;
  return `${found}: with less than ${INDEX_MEGABYTES} MB the database creates no indexes; free space`;
}
