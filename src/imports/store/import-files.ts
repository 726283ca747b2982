import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { unlessMissing } from '../../common/unless-missing';
import type { Import, ImportFile } from './import';

export function answersPath(folder: string, importId: string): string {
  return join(folder, `${importId}.answers`);
}

export async function removeFiles({ id, file }: Import, folder: string): Promise<void> {
  if (file !== null) await removeFile(file);
  await rm(answersPath(folder, id), { force: true });
}

export async function removeFile(file: Pick<ImportFile, 'path'>): Promise<void> {
  await removeCopies(file);
  await rm(file.path, { force: true });
}

export async function removeCopies(file: Pick<ImportFile, 'path'>): Promise<void> {
  const paths = await copyPaths(file.path);
  await Promise.all(paths.map((path) => rm(path, { recursive: true, force: true })));
}

/** Returns the size of an uploaded file's copies on this machine; some copies are folders. */
export async function copiedBytes(file: string): Promise<number> {
  let bytes = 0;
  for (const copy of await copyPaths(file)) {
    const names = await readdir(copy).catch(() => ['']);
    for (const name of names) bytes += (await stat(join(copy, name)).catch(() => null))?.size ?? 0;
  }
  return bytes;
}

async function copyPaths(file: string): Promise<string[]> {
  const [folder, own] = [dirname(file), basename(file)];
  const found = (await readdir(folder).catch(unlessMissing)) ?? [];
  return found.filter((name) => name.startsWith(`${own}.`)).map((name) => join(folder, name));
}
