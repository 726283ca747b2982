import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isConsumable } from '../../clicks/journal/journal.files';
import { NEWLINE } from '../../clicks/journal/journal.format';
import { unlessMissing } from '../../common/unless-missing';
import { openRegular } from '../../common/regular-file';
import { SECRET_FILES, STATE_FILES } from './backup-format';

interface DataFile {
  name: string;
  content: Buffer;
}

/** Call this only while recording is paused. */
export async function* dataFiles(dir: string, withSecrets: boolean): AsyncGenerator<DataFile> {
  for (const name of [...STATE_FILES, ...(withSecrets ? SECRET_FILES : [])]) {
    const content = await readContent(join(dir, name));
    if (content !== undefined) yield { name, content };
  }
  yield* waitingJournals(join(dir, 'journal'));
}

/**
 * Yields all journals; journals still being written are copied as sealed. The folder is listed
 * twice, because the first listing may miss a file that is being renamed.
 */
async function* waitingJournals(folder: string): AsyncGenerator<DataFile> {
  const names = new Map<string, string>();
  for (const name of [...(await listFolder(folder)), ...(await listFolder(folder))]) {
    const stem = /^(.+)\.(?:open|sealed)$/.exec(name)?.[1];
    if (stem !== undefined) names.set(stem, name);
  }
  for (const [stem, name] of names) {
    const isComplete = isConsumable(name);
    const sealed = `${stem}.sealed`;
    const content =
      (await readContent(join(folder, name))) ?? (await readContent(join(folder, sealed)));
    if (content === undefined) continue;
    if (isComplete) yield { name: `journal/${name}`, content };
    else {
      // An incomplete line belongs to a visit that has not been answered yet.
      const whole = content.subarray(0, content.lastIndexOf(NEWLINE) + 1);
      yield { name: `journal/${sealed}`, content: whole };
    }
  }
}

async function listFolder(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(unlessMissing)) ?? [];
}

async function readContent(path: string): Promise<Buffer | undefined> {
  const file = await openRegular(path).catch(unlessMissing);
  if (file === undefined) return undefined;
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}
