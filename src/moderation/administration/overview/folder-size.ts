import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

/** Each email and import has its own file; larger folders take too long. */
const MAX_FILES = 100_000;

/** Null above `maxFiles`; yields between files, and ignores files deleted meanwhile. */
export async function folderSize(folder: string, maxFiles = MAX_FILES): Promise<number | null> {
  let bytes = 0;
  let files = 0;
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const entries = await opendir(next).catch(nullIfGone);
    if (entries === null) continue;
    for await (const entry of entries) {
      if (++files > maxFiles) return null;
      const path = join(next, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else bytes += (await lstat(path).catch(nullIfGone))?.size ?? 0;
    }
  }
  return bytes;
}

function nullIfGone(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}
