import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CompanionCommand } from '../../process/companion-life';
import { acquireProcessLock } from '../../process/process-lock';
import type { ProcessLogger } from '../../process/process-logger';
import { DONOR_RELEASE, fetchCLibrary } from './debian-archive';
import { isEnoughGlibc, NEEDED_GLIBC } from './glibc';
import type { Processor } from './processor';
import { runTool } from './run-tool';

/** Long enough for another process to fetch it over a slow line. */
const FETCHING_BY_ANOTHER_MS = 300_000;
const LIBRARIES = ['libc.so.6', 'libm.so.6', 'libstdc++.so.6', 'libgcc_s.so.1'];

export interface CLibraryOptions {
  /** The cache folder of this program; made when missing. */
  cacheFolder: string;
  /** Asked for the address of Debian's archive, only when something has to be fetched. */
  archive: () => Promise<string>;
  processor: Processor;
  logger: ProcessLogger;
}

/**
 * The folder of a C library that is new enough for the engine, with its loader: fetched once,
 * kept in the cache and shared by all services of this user. Of several processes that miss it
 * at the same time one fetches and the others wait.
 * @throws the reason why it could not be fetched
 */
export async function cachedCLibrary(options: CLibraryOptions): Promise<string> {
  const { cacheFolder, processor } = options;
  const folder = join(cacheFolder, `c-library-${DONOR_RELEASE}-${processor.debian}`);
  if (isWhole(folder, processor)) return folder;
  await mkdir(cacheFolder, { recursive: true, mode: 0o700 });
  const lock = await acquireProcessLock(`${folder}.lock`, { waitMs: FETCHING_BY_ANOTHER_MS });
  try {
    // Another process may have fetched it while this one waited.
    if (!isWhole(folder, processor)) await fetchInto(folder, options);
    return folder;
  } finally {
    lock.release();
  }
}

async function fetchInto(folder: string, options: CLibraryOptions): Promise<void> {
  const { cacheFolder, archive, processor, logger } = options;
  logger.info(
    `The embedded MongoDB needs glibc ${NEEDED_GLIBC}: fetching a copy for it alone (about 14 MB, once)`,
  );
  const work = await mkdtemp(join(cacheFolder, 'fetching-'));
  try {
    const libraries = await fetchCLibrary(await archive(), processor, work);
    const version = await versionOf(libraries, processor);
    if (!isEnoughGlibc(version)) throw new Error(`the archive holds glibc ${version} only`);
    await rm(folder, { recursive: true, force: true });
    await rename(libraries, folder);
    logger.info(`glibc ${version} is kept in ${folder}`);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Has node itself run with the libraries, and say which version it sees. */
async function versionOf(libraries: string, processor: Processor): Promise<string> {
  const { command, args } = withCLibrary(libraries, processor);
  const script = 'process.report.getReport().header.glibcVersionRuntime';
  return (await runTool(command, [...args, '-p', script])).trim();
}

/** The start of a command line that runs node with another C library than the system's. */
export function withCLibrary(folder: string, { loader }: Processor): CompanionCommand {
  return {
    command: join(folder, loader),
    args: ['--library-path', folder, process.execPath],
  };
}

/** Whether all that was unpacked is still there: the cache may be cleaned at any time. */
function isWhole(folder: string, { loader }: Processor): boolean {
  return [loader, ...LIBRARIES].every((file) => existsSync(join(folder, file)));
}
