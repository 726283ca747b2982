import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { IrregularFileError } from './errors';

/** Does not follow links, because they may lead to devices, and does not block on pipes. */
const WARY = constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Errors from opening a link, a folder for writing, a socket, or a pipe without a reader. */
const IRREGULAR = new Set(['ELOOP', 'EMLINK', 'EISDIR', 'ENXIO', 'EOPNOTSUPP']);

/** @throws IrregularFileError if the path is not a regular file */
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

export function openRegularSync(path: string): number {
  const fd = openWarily(path);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw new IrregularFileError(path);
}

export async function readRegular(path: string): Promise<string> {
  const handle = await openRegular(path);
  try {
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** Moves the entry to the sibling folder `quarantine`, because a copy would need disk space. */
export async function quarantine(path: string): Promise<void> {
  const folder = join(dirname(path), 'quarantine');
  await makeOwnFolder(folder);
  await rename(path, await freeName(join(folder, basename(path))));
}

async function makeOwnFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => null);
  if (found?.isDirectory() === true) return;
  // Renames another entry with that name, such as a dangling link.
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
