import { existsSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ChildFailedError } from '../../processes/processes.errors';

const MEGABYTE = 1024 * 1024;
/** If less space is free, MongoDB refuses to create an index, even in an empty collection. */
export const INDEX_MEGABYTES = 500;
/** Free space needed for a new database, including the files that MongoDB creates initially. */
export const NEW_DATABASE_MEGABYTES = 520;

export type FreeSpace = (folder: string) => number | null;

const freeSpace: FreeSpace = (folder) => {
  const { bsize, blocks, bavail } = statfsSync(folder);
  return blocks === 0 ? null : bavail * bsize;
};

/**
 * @returns a warning if space is low for an existing database, otherwise null
 * @throws ChildFailedError if there is too little space for a new database
 */
export function checkFreeSpace(directory: string, free: FreeSpace = freeSpace): string | null {
  const bytes = free(directory);
  if (bytes === null) return null;
  const megabytes = Math.floor(bytes / MEGABYTE);
  const found = `DATA_DIR=${JSON.stringify(dirname(directory))}: only ${megabytes} MB are free`;
  // The engine creates this file in every database.
  if (!existsSync(join(directory, 'WiredTiger'))) {
    if (megabytes >= NEW_DATABASE_MEGABYTES) return null;
    throw new ChildFailedError(
      `${found}, and a new database needs ${NEW_DATABASE_MEGABYTES} MB; free space, set DATA_DIR ` +
        'to another disk, or MONGODB_URI to your own MongoDB',
    );
  }
  if (megabytes >= INDEX_MEGABYTES) return null;
  return `${found}: with less than ${INDEX_MEGABYTES} MB, the database cannot create indexes; free up space`;
}
