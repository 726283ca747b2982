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
import { acquireProcessLock, type ProcessLock } from '../processes/process-lock';
import { LockHeldError } from '../processes/processes.errors';

/** Folders in DATA_DIR, which may belong to another user who started the service. */
const PARTS = ['mongo', 'journal', 'outbox'];

/** Creates DATA_DIR with private access and locks it. @throws DataDirError, DataDirInUseError */
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

/** Avoids mkdirSync's `recursive` option, which never returns in folders such as /proc. */
function makeFolder(dir: string): void {
  if (existsSync(dir)) {
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
  // A broken symbolic link exists, but it is not a folder.
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  if (!isFolder(path)) {
    throw new DataDirError(`${path} is not a folder; remove it or move it elsewhere`);
  }
  accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
}
