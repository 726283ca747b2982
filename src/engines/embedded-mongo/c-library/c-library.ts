import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandLine, EngineHost } from '../engine-host';
import { errorMessage } from '../engine.errors';
import { DONOR_RELEASE, fetchCLibrary, runTool } from './debian-archive';
import { isEnoughGlibc, NEEDED_GLIBC, type Processor } from './glibc';

const DAY_MS = 86_400_000;
/** Long enough for another process to fetch it over a slow line. */
const FETCHING_BY_ANOTHER_MS = 300_000;
/** Security updates of the donor release arrive at the first start after this time. */
const RENEWAL_MS = 30 * DAY_MS;
const TRY_AGAIN_MS = DAY_MS;
/** How long a start waits for a newer copy before it goes on with the one at hand. */
const RENEWAL_WAIT_MS = 20_000;
const LIBRARIES = ['libc.so.6', 'libm.so.6', 'libstdc++.so.6', 'libgcc_s.so.1'];

export interface CLibraryOptions {
  /** The cache folder of this program; made when missing. */
  cacheFolder: string;
  /** Asked for the address of Debian's archive, only when something has to be fetched. */
  archive: () => Promise<string>;
  processor: Processor;
  host: EngineHost;
  renewalWaitMs?: number;
}

/** A fetched copy: `<prefix>` of earlier releases, since then `<prefix>.<time of fetching>`. */
interface FetchedCopy {
  folder: string;
  fetchedAt: number;
}

class FetchedElsewhereError extends Error {
  constructor() {
    super('another process has been fetching it for too long');
    this.name = 'FetchedElsewhereError';
  }
}

/**
 * The folder of a C library that is new enough for the engine, with its loader: kept in the cache
 * and shared by all services of this user. When several processes miss it at the same time, one
 * fetches it and the others wait. After 30 days it is fetched anew, into another folder, so that
 * nothing changes under a running engine; where that fails the copy at hand is used.
 * @throws the reason why there is none and none could be fetched
 */
export async function cachedCLibrary(options: CLibraryOptions): Promise<string> {
  const [newest] = await copiesIn(options);
  if (newest === undefined) return fetchLocked(options, FETCHING_BY_ANOTHER_MS, 0);
  const staleFrom = newest.fetchedAt + RENEWAL_MS;
  if (Date.now() < staleFrom || (await hasFailedLately(options))) return newest.folder;
  const renewal = renew(options, newest);
  const late = sleep(options.renewalWaitMs ?? RENEWAL_WAIT_MS, newest.folder, { ref: false });
  return Promise.race([renewal, late]);
}

/** Never rejects: whatever goes wrong, there is a copy that works. */
async function renew(options: CLibraryOptions, kept: FetchedCopy): Promise<string> {
  try {
    return await fetchLocked(options, 0, kept.fetchedAt);
  } catch (error) {
    // Another process is at it.
    if (error instanceof FetchedElsewhereError) return kept.folder;
    const days = Math.floor((Date.now() - kept.fetchedAt) / DAY_MS);
    options.host.logger.warn(
      `The copy of glibc for the embedded MongoDB is ${days} days old and could not be fetched ` +
        `anew (${errorMessage(error)}); it is used as it is, and the next try is in a day`,
    );
    await writeFile(failureMark(options), '').catch(() => undefined);
    return kept.folder;
  }
}

/** Fetches under the lock, unless another process has done so since `knownAt`. */
async function fetchLocked(
  options: CLibraryOptions,
  waitMs: number,
  knownAt: number,
): Promise<string> {
  await mkdir(options.cacheFolder, { recursive: true, mode: 0o700 });
  const lock = await options.host.lock(`${cachePrefix(options)}.lock`, waitMs);
  if (lock === null) throw new FetchedElsewhereError();
  try {
    const [newest] = await copiesIn(options);
    if (newest !== undefined && newest.fetchedAt > knownAt) return newest.folder;
    return await fetchCopy(options);
  } finally {
    lock.release();
  }
}

async function fetchCopy(options: CLibraryOptions): Promise<string> {
  const { cacheFolder, archive, processor, host } = options;
  host.logger.info(
    `The embedded MongoDB needs glibc ${NEEDED_GLIBC}: fetching a copy for it alone ` +
      '(14 MB, once in 30 days)',
  );
  await removeOldCopies(options);
  const work = await mkdtemp(join(cacheFolder, 'fetching-'));
  try {
    const libraries = await fetchCLibrary(await archive(), processor, work, host.environment());
    const version = await nodeVersionWith(libraries, processor, host);
    if (!isEnoughGlibc(version)) throw new Error(`the archive holds glibc ${version} only`);
    const folder = `${cachePrefix(options)}.${Date.now()}`;
    await rename(libraries, folder);
    host.logger.info(`glibc ${version} is kept in ${folder}`);
    return folder;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Has node itself run with the libraries, and say which version it sees. */
async function nodeVersionWith(
  libraries: string,
  processor: Processor,
  host: EngineHost,
): Promise<string> {
  const { command, args } = withCLibrary(libraries, processor);
  const script = 'process.report.getReport().header.glibcVersionRuntime';
  return (await runTool(command, [...args, '-p', script], host.environment())).trim();
}

/** The start of a command line that runs node with another C library than the system's. */
export function withCLibrary(folder: string, { loader }: Processor): CommandLine {
  return {
    command: join(folder, loader),
    args: ['--library-path', folder, process.execPath],
  };
}

/** The copies from which nothing is missing, the newest first. */
async function copiesIn(options: CLibraryOptions): Promise<FetchedCopy[]> {
  const copies = await foldersIn(options);
  return copies.filter(({ folder }) => isComplete(folder, options.processor));
}

async function foldersIn(options: CLibraryOptions): Promise<FetchedCopy[]> {
  const prefix = cachePrefix(options);
  const names = await readdir(options.cacheFolder).catch(() => []);
  const copies = names.map(async (name): Promise<FetchedCopy[]> => {
    const folder = join(options.cacheFolder, name);
    // When it was put there; its contents are as old as the packages.
    if (folder === prefix) return [{ folder, fetchedAt: (await stat(folder)).ctimeMs }];
    const time = folder.startsWith(`${prefix}.`) ? folder.slice(prefix.length + 1) : '';
    return /^\d{13}$/.test(time) ? [{ folder, fetchedAt: Number(time) }] : [];
  });
  return (await Promise.all(copies)).flat().sort((a, b) => b.fetchedAt - a.fetchedAt);
}

/**
 * Removes, under the lock, what a killed fetch left, and every copy but the newest that no process
 * has loaded: an engine may load a part of its library late.
 */
async function removeOldCopies(options: CLibraryOptions): Promise<void> {
  const { cacheFolder } = options;
  await rm(failureMark(options), { force: true });
  for (const name of await readdir(cacheFolder)) {
    if (name.startsWith('fetching-')) await rm(join(cacheFolder, name), { recursive: true });
  }
  const [newest] = await copiesIn(options);
  for (const { folder } of await foldersIn(options)) {
    if (folder === newest?.folder || (await isLoaded(folder))) continue;
    await rm(folder, { recursive: true, force: true });
  }
}

async function isLoaded(folder: string): Promise<boolean> {
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    // Other users' processes cannot be read and have caches of their own.
    const maps = await readFile(`/proc/${pid}/maps`, 'utf8').catch(() => '');
    if (maps.includes(`${folder}/`)) return true;
  }
  return false;
}

async function hasFailedLately(options: CLibraryOptions): Promise<boolean> {
  const mark = await stat(failureMark(options)).catch(() => null);
  return mark !== null && Math.abs(Date.now() - mark.mtimeMs) < TRY_AGAIN_MS;
}

function failureMark(options: CLibraryOptions): string {
  return `${cachePrefix(options)}.failed`;
}

function cachePrefix({ cacheFolder, processor }: CLibraryOptions): string {
  return join(cacheFolder, `c-library-${DONOR_RELEASE}-${processor.debian}`);
}

/** Whether all that was unpacked is still there: the cache may be cleaned at any time. */
function isComplete(folder: string, { loader }: Processor): boolean {
  return [loader, ...LIBRARIES].every((file) => existsSync(join(folder, file)));
}
