import { readdir, rm } from 'node:fs/promises';
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

export async function removeCopies({ path }: Pick<ImportFile, 'path'>): Promise<void> {
  const [folder, own] = [dirname(path), basename(path)];
  const found = (await readdir(folder).catch(unlessMissing)) ?? [];
  const names = found.filter((name) => name.startsWith(`${own}.`));
  await Promise.all(names.map((name) => rm(join(folder, name), { recursive: true, force: true })));
}
