import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { IrregularFileError } from './errors';

/** File-system errors that only an operator can fix. */
const REPAIRABLE = new Set([
  'EACCES',
  'EDQUOT',
  'EEXIST',
  'EISDIR',
  'ENAMETOOLONG',
  'ENOENT',
  'ENOSPC',
  'ENOTDIR',
  'EPERM',
  'EROFS',
]);

/** Returns the cause and the fix if DATA_DIR is unusable; null for other errors. */
export function dataDirFault(dir: string, error: unknown): string | null {
  if (error instanceof IrregularFileError) {
    return `DATA_DIR=${JSON.stringify(dir)}: ${error.message}; remove it, or move it elsewhere`;
  }
  if (!(error instanceof Error)) return null;
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === undefined || path === undefined || !REPAIRABLE.has(code)) return null;
  const inside = path === dir || path.startsWith(`${dir}/`);
  if (!inside && !isAbove(path, dir)) return null;
  return `DATA_DIR=${JSON.stringify(dir)}: ${remedy(code, path, dir)}`;
}

function isAbove(path: string, dir: string): boolean {
  for (let at = dir; at !== dirname(at); at = dirname(at)) if (dirname(at) === path) return true;
  return false;
}

function remedy(code: string, path: string, dir: string): string {
  const found = existsSync(path) ? path : dirname(path);
  switch (code) {
    case 'EACCES':
    case 'EPERM': {
      // Uses the numeric id, because a user in a container may have no name.
      const uid = process.getuid?.() ?? 0;
      const give = uid === 0 ? '' : `give it the folder (sudo chown -R ${uid} ${dir}) or `;
      return `user ${uid} cannot write to ${found}; ${give}set DATA_DIR to another folder`;
    }
    case 'EROFS':
      return `${found} is on a read-only file system; set DATA_DIR to a writable folder`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `no space left for ${path}; free space or set DATA_DIR to a folder on another disk`;
    case 'EEXIST':
    case 'ENOTDIR':
      return `${path} is not a folder; set DATA_DIR to an existing or a new folder`;
    default:
      return `cannot create ${path} (${code}); set DATA_DIR to a writable folder`;
  }
}
