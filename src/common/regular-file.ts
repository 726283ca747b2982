import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** A folder, a link, a pipe, a socket or a device stands where a file of the service belongs. */
export class IrregularFileError extends Error {
  constructor(
    readonly path: string,
    cause?: unknown,
  ) {
    super(`${path} is no regular file`, { cause });
    this.name = 'IrregularFileError';
  }
}

/**
 * Neither follows a link, which may lead to an endless device, nor waits for the other end of a
 * pipe, which would keep a thread of the process for ever.
 */
const WARY = constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Answers to opening a link, a folder to write, and a socket or a pipe that nobody reads. */
const IRREGULAR = new Set(['ELOOP', 'EMLINK', 'EISDIR', 'ENXIO', 'EOPNOTSUPP']);

/**
 * Opens a file that this service has written.
 * @throws IrregularFileError for what no file of ours can be
 */
export async function openRegular(path: string, flags = constants.O_RDONLY): Promise<FileHandle> {
  const handle = await open(path, flags | WARY).catch((error: unknown) => rethrow(path, error));
  try {
    if ((await handle.stat()).isFile()) return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  throw new IrregularFileError(path);
}

/** Like `openRegular`, to read, synchronously. */
export function openRegularSync(path: string): number {
  const fd = openWarily(path);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw new IrregularFileError(path);
}

/** The text of a file that this service has written. */
export async function readRegular(path: string): Promise<string> {
  const handle = await openRegular(path);
  try {
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/**
 * Keeps a file, or whatever stands in its place, for a human to look at: in the folder `quarantine`
 * beside it. Moved, since a copy would need room on the disk.
 */
export async function quarantine(path: string): Promise<void> {
  const folder = join(dirname(path), 'quarantine');
  await makeOwnFolder(folder);
  await rename(path, await freeName(join(folder, basename(path))));
}

async function makeOwnFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => null);
  if (found?.isDirectory() === true) return;
  // Something else of that name, if only a link to nowhere.
  if (await pathExists(folder)) await rename(folder, await freeName(folder));
  await mkdir(folder, { recursive: true, mode: 0o700 });
}

async function freeName(path: string): Promise<string> {
  return (await pathExists(path)) ? `${path}.${Date.now()}` : path;
}

function pathExists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function openWarily(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | WARY);
  } catch (error) {
    return rethrow(path, error);
  }
}

function rethrow(path: string, error: unknown): never {
  const { code = '' } = error as NodeJS.ErrnoException;
  throw IRREGULAR.has(code) ? new IrregularFileError(path, error) : error;
}
