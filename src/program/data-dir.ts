import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { dataDirFault } from '../common/file-fault';
import { DataDirError, DataDirInUseError } from './start-error';
import { acquireProcessLock, LockHeldError, type ProcessLock } from '../processes/process-lock';

/** Folders of DATA_DIR that a start as another user may have made. */
const PARTS = ['mongo', 'journal', 'outbox'];

/**
 * Makes DATA_DIR when it is missing, for its owner alone, and takes it: one service works in it.
 * @throws DataDirError, DataDirInUseError saying what to do
 */
export async function takeDataDir(dir: string): Promise<ProcessLock> {
  try {
    makeFolder(dir);
    for (const part of PARTS) checkFolder(join(dir, part));
    return await acquireProcessLock(join(dir, 'curtail.lock'), { waitMs: 0 });
  } catch (error) {
    if (error instanceof LockHeldError) throw new DataDirInUseError(dir, error.pid);
    const fault = dataDirFault(dir, error);
    throw fault === null ? error : new DataDirError(fault);
  }
}

/** Works like `recursive` of mkdirSync, which never returns in folders such as /proc. */
function makeFolder(dir: string): void {
  if (existsSync(dir)) {
    // Says ENOTDIR for what is no folder.
    readdirSync(dir);
    return;
  }
  if (dirname(dir) !== dir) makeFolder(dirname(dir));
  mkdirSync(dir, { mode: 0o700 });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function checkFolder(path: string): void {
  // A link to nowhere is there, and leads to no folder.
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  if (!isFolder(path)) {
    throw new DataDirError(`${path} is no folder; remove it, or move it elsewhere`);
  }
  accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
}
