import { statfs } from 'node:fs/promises';
import { CurtailError } from '../../common/errors';

/** Free space of the disk that a folder lies on. */
export interface DiskSpace {
  /** Bytes of the whole file system; 0 where it does not tell. */
  size: number;
  /** Bytes that this user can still write. */
  free: number;
}

/** A tenth of the disk, and no more than 2 GiB. */
const RESERVE_SHARE = 10;
const MAX_RESERVE_BYTES = 2 * 1024 ** 3;

export async function diskSpace(folder: string): Promise<DiskSpace> {
  const { bsize, blocks, bavail } = await statfs(folder);
  return { size: blocks * bsize, free: bavail * bsize };
}

/** Bytes of the disk that the journal leaves free, for the database. */
export function reservedBytes({ size }: Pick<DiskSpace, 'size'>): number {
  return Math.min(size / RESERVE_SHARE, MAX_RESERVE_BYTES);
}

/** 507: the disk has no room for what callers want to store. */
export class DiskReserveError extends CurtailError {
  constructor() {
    super(507, 'internal_error', 'The disk of the service is nearly full, try again later');
  }
}

/**
 * Refuses more bytes for files of callers where they would take the journal's part of the disk: twice
 * the reserve stays free, so that clicks are still recorded.
 *
 * @param look replaceable for tests
 * @throws DiskReserveError
 */
export async function refuseFullDisk(
  folder: string,
  bytes = 0,
  look: (folder: string) => Promise<DiskSpace> = diskSpace,
): Promise<void> {
  const space = await look(folder);
  if (space.size > 0 && space.free - bytes < 2 * reservedBytes(space)) throw new DiskReserveError();
}
