import '../node-version';
import { readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { join, resolve } from 'node:path';
import { ClickHomeRepository } from '../../clicks/store/click-home.repository';
import { CLICK_BLOCKS, CLICK_STORES } from '../../clicks/store/click-store.schema';
import { EXPORT_FILES } from '../../account-life/export/export-files.repository';
import { version } from '../../common/package-info';
import { countNoun } from '../../common/plain-text';
import { LastBackupRepository } from '../../infrastructure/mongo/last-backup.repository';
import { REMOVED_LINKS } from '../../stores/links/removed-link.schema';
import {
  type BackupFile,
  type BackupTarget,
  countDocuments,
  MANIFEST,
  newManifest,
  openTarget,
  SECRET_FILES,
  STATE_FILES,
} from './backup-target';
import { CollectionsRepository, inBatches } from './copy.repository';
import { embeddedSettings, pathAndOptions, runCommand, untilInterrupted } from './command';
import {
  askForPause,
  type DatabaseConnection,
  type PausedService,
  withDatabase,
  withRecordingPaused,
} from './own-database';
import { isConsumable } from '../../clicks/journal/journal.files';
import { NEWLINE } from '../../clicks/journal/journal.format';
import { openRegular } from '../../common/regular-file';
import { unlessMissing } from '../../common/unless-missing';

const BACKUP_USAGE = `Usage: curtail backup [--without-secrets] DIR|FILE

Backs up the embedded database of DATA_DIR and the clicks that wait in its
journal, whether or not the service is running. A name that ends in .tar or
.tar.gz is a file; any other name is a folder, which must be new or empty.

  --without-secrets   Omit generated secrets (jwt-secret, visitor-key)

Exit codes: 0 complete, 1 failed, 2 invalid arguments.`;

const WITHOUT_CLICKS =
  'backup: contains only click totals. The clicks are in ClickHouse, which needs its own backup';
const WITHOUT_SECRETS = '--without-secrets';

export function runBackup(args: readonly string[]): Promise<number> {
  const run = (signal: AbortSignal): Promise<void> => {
    const { path, options } = pathAndOptions(args, [WITHOUT_SECRETS]);
    const settings = embeddedSettings('mongodump');
    letRedirectsFirst();
    return withDatabase(settings, (connection, { shared }) =>
      backUp(connection, resolve(path), {
        dir: settings.data.dir,
        withSecrets: !options.has(WITHOUT_SECRETS),
        isRunning: shared,
        signal,
      }),
    );
  };
  return runCommand(args, BACKUP_USAGE, () => untilInterrupted(run));
}

/** Sets all threads' priority, because on Linux each thread has a separate priority. */
function letRedirectsFirst(): void {
  const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [0];
  for (const thread of threads) setPriority(thread, constants.priority.PRIORITY_LOW);
}

interface DataFile {
  name: string;
  content: Buffer;
}

/** Call this only while recording is paused. */
async function* dataFiles(dir: string, withSecrets: boolean): AsyncGenerator<DataFile> {
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
      // An incomplete line belongs to a visit whose response has not been sent yet.
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

interface BackupWork extends PausedService {
  withSecrets: boolean;
}

async function backUp(
  connection: DatabaseConnection,
  path: string,
  work: BackupWork,
): Promise<void> {
  const started = new Date();
  const pause = await askForPause(work.dir);
  try {
    const target = await openTarget(path, work.signal);
    try {
      const { clickHome, files } = await withRecordingPaused(pause, work, async () => ({
        clickHome: await new ClickHomeRepository(connection).find(),
        files: await writeParts(new CollectionsRepository(connection), target, work),
      }));
      await pause.end();
      const finished = new Date();
      const times = { started_at: started.toISOString(), finished_at: finished.toISOString() };
      await target.write(MANIFEST, [newManifest({ version: version(), ...times, files })]);
      await target.finish();
      reportBackup(path, files);
      if (clickHome !== 'mongodb') console.log(WITHOUT_CLICKS);
      await new LastBackupRepository(connection)
        .note(finished)
        .catch(() => console.error('Could not store the time of this backup in the database'));
    } catch (error) {
      await target.discard();
      throw error;
    }
  } finally {
    await pause.end();
  }
}

/** Writes journals before links, so that the backup contains each click's link. */
async function writeParts(
  database: CollectionsRepository,
  target: BackupTarget,
  { dir, withSecrets }: BackupWork,
): Promise<BackupFile[]> {
  const files: BackupFile[] = [];
  for await (const { name, content } of dataFiles(dir, withSecrets)) {
    files.push(await target.write(`data/${name}`, [content]));
  }
  const names = (await database.names()).filter((name) => !name.startsWith(`${EXPORT_FILES}.`));
  for (const name of inBackupOrder(names)) {
    const metadata = await database.metadata(name);
    files.push(await target.write(`database/${name}.metadata.json`, [metadata]));
    let documents = 0;
    const pieces = (async function* () {
      for await (const batch of inBatches(database.documents(name))) {
        documents += batch.length;
        yield Buffer.concat(batch);
      }
    })();
    files.push({ ...(await target.write(`database/${name}.bson`, pieces)), documents });
  }
  return files;
}

const OTHERS = '';

/**
 * Links are written before their data, so data without a link belongs to a link created later.
 * Removed links come last, so that the restore knows all links removed during the backup.
 */
function inBackupOrder(names: readonly string[]): string[] {
  const order = ['links', CLICK_STORES, CLICK_BLOCKS, OTHERS, REMOVED_LINKS];
  const rank = (name: string): number => order.indexOf(order.includes(name) ? name : OTHERS);
  return names.toSorted((a, b) => rank(a) - rank(b));
}

function reportBackup(path: string, files: readonly BackupFile[]): void {
  const collections = files.filter(({ documents }) => documents !== undefined);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  console.log(
    `backup: ${countNoun(collections.length, 'collection')}, ${countNoun(countDocuments(files), 'document')}, ${bytes} bytes in ${path}`,
  );
}

if (require.main === module) {
  void runBackup(process.argv.slice(2)).then((code) => (process.exitCode = code));
}
