import { existsSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ChildFailedError } from '../../processes/child-process/child-messages';

const MEGABYTE = 1024 * 1024;
/** MongoDB makes no index, not even of an empty collection, with less left on its disk. */
export const INDEX_MEGABYTES = 500;
/** With its own first files, of 10 MB. */
export const NEW_DATABASE_MEGABYTES = 520;

/** Bytes that are free below a folder; null where the file system does not tell. */
export type FreeSpace = (folder: string) => number | null;

const freeSpace: FreeSpace = (folder) => {
  const { bsize, blocks, bavail } = statfsSync(folder);
  return blocks === 0 ? null : bavail * bsize;
};

/**
 * Looks whether the engine can work on the disk of its folder, before it is opened.
 * @returns a warning where an existing database has little room; null where all is well
 * @throws ChildFailedError where there is no room for a new one
 */
export function checkFreeSpace(directory: string, free: FreeSpace = freeSpace): string | null {
  const bytes = free(directory);
  if (bytes === null) return null;
  const megabytes = Math.floor(bytes / MEGABYTE);
  const found = `DATA_DIR=${JSON.stringify(dirname(directory))}: ${megabytes} MB are free`;
  // A file that every database of the engine has.
  if (!existsSync(join(directory, 'WiredTiger'))) {
    if (megabytes >= NEW_DATABASE_MEGABYTES) return null;
    throw new ChildFailedError(
      `${found}, and a new database needs ${NEW_DATABASE_MEGABYTES} MB; make room, set DATA_DIR ` +
        'to another disk, or MONGODB_URI to a MongoDB of your own',
    );
  }
  if (megabytes >= INDEX_MEGABYTES) return null;
  return `${found}: with less than ${INDEX_MEGABYTES} MB the database makes no new index; make room`;
}
