import { statfs } from 'node:fs/promises';
import { DiskReserveError } from '../../common/errors';

export interface DiskSpace {
  /** Total bytes in the file system; 0 if unknown. */
  size: number;
  /** Number of bytes that this user can still write. */
  free: number;
}

const RESERVE_SHARE = 10;
const MAX_RESERVE_BYTES = 2 * 1024 ** 3;

export async function diskSpace(folder: string): Promise<DiskSpace> {
  const { bsize, blocks, bavail } = await statfs(folder);
  return { size: blocks * bsize, free: bavail * bsize };
}

/** Number of bytes that the journal leaves free for the database. */
export function reservedBytes({ size }: Pick<DiskSpace, 'size'>): number {
  return Math.min(size / RESERVE_SHARE, MAX_RESERVE_BYTES);
}

/** Files that users cause keep twice the reserve free, so that clicks can be recorded. */
export function isNearlyFull(space: DiskSpace, bytes = 0): boolean {
  return space.size > 0 && space.free - bytes < 2 * reservedBytes(space);
}

/** @throws DiskReserveError */
export async function refuseFullDisk(
  folder: string,
  bytes = 0,
  look: (folder: string) => Promise<DiskSpace> = diskSpace,
): Promise<void> {
  if (isNearlyFull(await look(folder), bytes)) throw new DiskReserveError();
}
