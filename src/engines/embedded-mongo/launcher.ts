import { access, constants, mkdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { CommandLine, EngineHost } from './engine-host';
import { EngineUnavailableError, errorMessage } from './engine.errors';
import { cachedCLibrary, withCLibrary } from './c-library/c-library';
import { findDebianArchive } from './c-library/debian-archive';
import { isEnoughGlibc, NEEDED_GLIBC, findProcessor, runningGlibc } from './c-library/glibc';

/**
 * Where this user's programs keep what can be fetched again: XDG_CACHE_HOME, or `~/.cache` where
 * it is unset or, against its specification, relative.
 */
export function userCacheFolder(): string {
  const { XDG_CACHE_HOME: folder = '' } = process.env;
  return isAbsolute(folder) ? folder : join(homedir(), '.cache');
}

export interface LauncherOptions {
  dataDir: string;
  host: EngineHost;
}

/**
 * How node is started so that it can load the engine: as it is where the system's C library is
 * new enough, with a fetched one on an older Debian.
 * @throws EngineUnavailableError where neither works
 */
export async function engineLauncher({ dataDir, host }: LauncherOptions): Promise<CommandLine> {
  const { platform, arch, execPath } = process;
  if (platform === 'darwin' && arch === 'arm64') return { command: execPath, args: [] };
  const processor = platform === 'linux' ? findProcessor(arch) : undefined;
  if (processor === undefined) {
    throw new EngineUnavailableError(`there is none for ${platform} on ${arch}`);
  }
  const glibc = runningGlibc();
  if (glibc === null) throw new EngineUnavailableError(`this system has no glibc`);
  if (isEnoughGlibc(glibc)) return { command: execPath, args: [] };
  try {
    const cacheFolder = await writableCacheFolder(dataDir);
    const folder = await cachedCLibrary({
      cacheFolder,
      archive: () => ownArchive(host),
      processor,
      host,
    });
    return withCLibrary(folder, processor);
  } catch (error) {
    throw new EngineUnavailableError(
      `it needs glibc ${NEEDED_GLIBC}, this system has ${glibc}, and a newer copy could not be ` +
        `fetched (${errorMessage(error)})`,
      error,
    );
  }
}

/** The user's cache; for a service user without a home folder one in DATA_DIR. */
async function writableCacheFolder(dataDir: string): Promise<string> {
  try {
    // Throws for a user without HOME that the system has no line for either.
    const folder = join(userCacheFolder(), 'curtail');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK);
    return folder;
  } catch {
    return join(dataDir, 'cache');
  }
}

async function ownArchive(host: EngineHost): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8');
  const codename = /^VERSION_CODENAME=(\w+)$/m.exec(release)?.[1] ?? '';
  const archive = /^ID=debian$/m.test(release)
    ? await findDebianArchive(codename, host.environment())
    : null;
  if (archive === null) throw new Error('that works on Debian alone');
  return archive;
}
