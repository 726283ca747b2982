import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { syncFolder } from '../../clicks/journal/journal.files';
import { UsageError } from './cli.errors';
import { parseDeletedAccounts } from './deleted-accounts';
import { countNoun } from '../../common/plain-text';
import { BackupSource } from './backup-source';
import {
  countDocuments,
  dataFilePath,
  parseCollection,
  SECRET_FILES,
  STATE_FILES,
  writeFileDurably,
} from './backup-target';
import { embeddedSettings, pathAndOptions, runCommand, untilInterrupted } from './command';
import { stoppedService, withEngine } from './own-database';
import { RestoreRepository } from './restore.repository';

const RESTORE_USAGE = `Usage: curtail restore [--without-accounts FILE] DIR|FILE

Creates DATA_DIR from a backup made with curtail backup. Stop the service first.
DATA_DIR must be new, or contain no database. The whole backup is checked before
anything is written.

  --without-accounts FILE  deletes these accounts at the next start: FILE has account
                           ids, one per line, or is an exported audit trail, which
                           names the accounts deleted since the backup

Exit codes: 0 restored, 1 failed, 2 invalid arguments.`;

const WITHOUT_ACCOUNTS = '--without-accounts';
const DELETED_ACCOUNTS_HINT = `Accounts deleted since this backup exist again. To delete them, restore with ${WITHOUT_ACCOUNTS} and an exported audit trail`;

/** Temporary folder in DATA_DIR; a later restore removes a folder left by a failed restore. */
const STAGING = 'restore';

export function runRestore(args: readonly string[]): Promise<number> {
  const run = async (signal: AbortSignal): Promise<void> => {
    const { rest, file } = takeOption(args, WITHOUT_ACCOUNTS);
    const { path } = pathAndOptions(rest, []);
    const deleted = file === null ? null : parseDeletedAccounts(await readFile(file, 'utf8'));
    const { dir } = embeddedSettings('mongorestore with a dump of mongodump').data;
    const source = await BackupSource.open(resolve(path), signal);
    const createdFolder = await mkdir(dir, { recursive: true, mode: 0o700 });
    try {
      await restoreInto(resolve(dir), source, deleted, signal);
    } catch (error) {
      if (createdFolder !== undefined) await rm(createdFolder, { recursive: true, force: true });
      throw error;
    }
  };
  return runCommand(args, RESTORE_USAGE, () => untilInterrupted(run));
}

/** The option's value and the other arguments; the value follows the option. */
function takeOption(
  args: readonly string[],
  option: string,
): { rest: readonly string[]; file: string | null } {
  const at = args.indexOf(option);
  if (at === -1) return { rest: args, file: null };
  const file = args[at + 1];
  if (file === undefined || file.startsWith('-')) throw new UsageError(`${option} needs a file`);
  return { rest: args.toSpliced(at, 2), file };
}

/** @param deleted ids of accounts to delete; null if the command does not name any */
async function restoreInto(
  dir: string,
  source: BackupSource,
  deleted: readonly string[] | null,
  signal: AbortSignal,
): Promise<void> {
  const lock = await stoppedService(dir);
  const staging = join(dir, STAGING);
  try {
    await refuseTaken(dir, source);
    await rm(staging, { recursive: true, force: true });
    await mkdir(staging, { mode: 0o700 });
    await fillDatabase(staging, source, deleted ?? [], signal);
    await moveInto(dir, staging);
    reportRestore(dir, source);
    if (deleted === null) console.log(DELETED_ACCOUNTS_HINT);
  } finally {
    await rm(staging, { recursive: true, force: true });
    lock.release();
  }
}

async function refuseTaken(dir: string, source: BackupSource): Promise<void> {
  if (existsSync(join(dir, 'mongo'))) {
    throw new Error(
      `${dir} already has a database: set another DATA_DIR, or move the database away`,
    );
  }
  const names = source.manifest.files.map(({ name }) => dataFilePath(name));
  // These files belong to another database, so they must not exist even if the backup has none.
  const taken = [
    ...STATE_FILES,
    'statistics',
    ...SECRET_FILES.filter((name) => names.includes(name)),
  ];
  const standing = taken.find((name) => existsSync(join(dir, name)));
  if (standing !== undefined) {
    throw new Error(
      `${dir} already has ${standing}: set another DATA_DIR, or move ${standing} away`,
    );
  }
  const journal = await readdir(join(dir, 'journal')).catch(() => []);
  if (journal.some((name) => /\.(?:open|sealed)$/.test(name))) {
    throw new Error(`Clicks are waiting in ${join(dir, 'journal')}: set another DATA_DIR`);
  }
}

/** Creates the restored database in a separate folder. */
async function fillDatabase(
  folder: string,
  source: BackupSource,
  deleted: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  await withEngine(folder, async (connection) => {
    const repository = new RestoreRepository(connection);
    for (const [name, metadata] of source.metadata) {
      await repository.makeCollection(name, metadata);
    }
    for await (const { name, pieces } of source.parts()) {
      const file = dataFilePath(name);
      const part = parseCollection(name);
      if (file !== null) await writeFileDurably(join(folder, file), pieces);
      else if (part?.half === 'bson') {
        for await (const id of repository.insert(part.collection, pieces, signal)) {
          console.error(`Skipped ${part.collection} ${id}: it changed during the backup`);
        }
      }
    }
    await repository.dropRemoved(new Date(source.manifest.started_at));
    for (const { id, email } of await repository.closeAccounts(deleted, new Date())) {
      console.log(`restore: account ${id} (${email}) will be deleted at the next start`);
    }
  });
}

/** Moves the database last, so that an interrupted restore leaves no database. */
async function moveInto(dir: string, staging: string): Promise<void> {
  const moved: [from: string, to: string][] = [];
  const move = async (name: string): Promise<void> => {
    await rename(join(staging, name), join(dir, name));
    moved.push([join(staging, name), join(dir, name)]);
  };
  const journal = await mkdir(join(dir, 'journal'), { recursive: true, mode: 0o700 });
  try {
    const journals = await readdir(join(staging, 'journal')).catch(() => []);
    for (const name of journals) await move(join('journal', name));
    for (const name of [...STATE_FILES, ...SECRET_FILES]) {
      if (existsSync(join(staging, name))) await move(name);
    }
    await syncFolder(join(dir, 'journal'));
    await move('mongo');
    await syncFolder(dir);
  } catch (error) {
    for (const [from, to] of moved.reverse()) await rename(to, from);
    if (journal !== undefined) await rmdir(journal);
    throw error;
  }
}

function reportRestore(dir: string, { manifest, metadata }: BackupSource): void {
  const missing = SECRET_FILES.filter(
    (secret) => !manifest.files.some(({ name }) => dataFilePath(name) === secret),
  );
  if (missing.length > 0) {
    console.error(
      `The backup has no ${missing.join(' and no ')}: copy the files into DATA_DIR, or set JWT_SECRET ` +
        'and VISITOR_KEY to their previous values (docs/operations.md#the-visitor-key)',
    );
  }
  console.log(
    `restore: ${countNoun(metadata.size, 'collection')}, ${countNoun(countDocuments(manifest.files), 'document')} in ${dir}; check them with curtail verify`,
  );
}
