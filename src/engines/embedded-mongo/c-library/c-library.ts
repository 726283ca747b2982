import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandLine, EngineHost } from './engine-host';
import { errorMessage, FetchedElsewhereError } from './engine.errors';
import { DONOR_RELEASE, fetchCLibrary, runTool } from './debian-archive';
import { isEnoughGlibc, NEEDED_GLIBC, type Processor } from './glibc';

const DAY_MS = 86_400_000;
/** How long a process waits while another process downloads the library. */
const FETCHING_BY_ANOTHER_MS = 300_000;
/** Age at which a copy is replaced at the next startup, to get security updates. */
const RENEWAL_MS = 30 * DAY_MS;
const TRY_AGAIN_MS = DAY_MS;
/** How long startup waits for a newer copy before it uses the existing copy. */
const RENEWAL_WAIT_MS = 20_000;
const LIBRARIES = ['libc.so.6', 'libm.so.6', 'libstdc++.so.6', 'libgcc_s.so.1'];

export interface CLibraryOptions {
  cacheFolder: string;
  /** Returns the Debian archive's URL; called only if a download is needed. */
  archive: () => Promise<string>;
  processor: Processor;
  host: EngineHost;
  renewalWaitMs?: number;
}

/** A downloaded copy in `<prefix>.<download time>`; earlier releases used `<prefix>`. */
interface FetchedCopy {
  folder: string;
  fetchedAt: number;
}

/**
 * A single process downloads the library while others wait. After 30 days, a new copy goes into a
 * new folder, which does not affect running engines; if that fails, the existing copy is used.
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

/** Never rejects: if the download fails, the existing copy is used. */
async function renew(options: CLibraryOptions, kept: FetchedCopy): Promise<string> {
  try {
    return await fetchLocked(options, 0, kept.fetchedAt);
  } catch (error) {
    // Another process is downloading the new copy.
    if (error instanceof FetchedElsewhereError) return kept.folder;
    const days = Math.floor((Date.now() - kept.fetchedAt) / DAY_MS);
    options.host.logger.warn(
      `The glibc copy for the embedded MongoDB is ${days} days old and could not be renewed ` +
        `(${errorMessage(error)}); it stays in use; retrying in a day`,
    );
    await writeFile(failureMark(options), '').catch(() => undefined);
    return kept.folder;
  }
}

/** Downloads under a lock, unless another process has finished a download since `knownAt`. */
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
    `The embedded MongoDB needs glibc ${NEEDED_GLIBC}; downloading a copy that only ` +
      'MongoDB uses (14 MB, every 30 days)',
  );
  await removeOldCopies(options);
  const work = await mkdtemp(join(cacheFolder, 'fetching-'));
  try {
    const libraries = await fetchCLibrary(await archive(), processor, work, host.environment());
    const version = await nodeVersionWith(libraries, processor, host);
    if (!isEnoughGlibc(version)) throw new Error(`the archive has only glibc ${version}`);
    const folder = `${cachePrefix(options)}.${Date.now()}`;
    await rename(libraries, folder);
    host.logger.info(`Stored glibc ${version} in ${folder}`);
    return folder;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function nodeVersionWith(
  libraries: string,
  processor: Processor,
  host: EngineHost,
): Promise<string> {
  const { command, args } = withCLibrary(libraries, processor);
  const script = 'process.report.getReport().header.glibcVersionRuntime';
  return (await runTool(command, [...args, '-p', script], host.environment())).trim();
}

export function withCLibrary(folder: string, { loader }: Processor): CommandLine {
  return {
    command: join(folder, loader),
    args: ['--library-path', folder, process.execPath],
  };
}

async function copiesIn(options: CLibraryOptions): Promise<FetchedCopy[]> {
  const copies = await foldersIn(options);
  return copies.filter(({ folder }) => isComplete(folder, options.processor));
}

async function foldersIn(options: CLibraryOptions): Promise<FetchedCopy[]> {
  const prefix = cachePrefix(options);
  const names = await readdir(options.cacheFolder).catch(() => []);
  const copies = names.map(async (name): Promise<FetchedCopy[]> => {
    const folder = join(options.cacheFolder, name);
    // The folder's ctime is used, because files keep the packages' modification times.
    if (folder === prefix) return [{ folder, fetchedAt: (await stat(folder)).ctimeMs }];
    const time = folder.startsWith(`${prefix}.`) ? folder.slice(prefix.length + 1) : '';
    return /^\d{13}$/.test(time) ? [{ folder, fetchedAt: Number(time) }] : [];
  });
  return (await Promise.all(copies)).flat().sort((a, b) => b.fetchedAt - a.fetchedAt);
}

/** Keeps copies that are in use, because a running engine may load more of its library later. */
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
    // Other users' processes cannot be read, but they have separate caches.
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

/** Checks all files, because a cache cleaner may delete files at any time. */
function isComplete(folder: string, { loader }: Processor): boolean {
  return [loader, ...LIBRARIES].every((file) => existsSync(join(folder, file)));
}
