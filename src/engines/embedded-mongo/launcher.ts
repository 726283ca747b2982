import { access, constants, mkdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { CommandLine, EngineHost } from './c-library/engine-host';
import { EngineUnavailableError, errorMessage } from './c-library/engine.errors';
import { cachedCLibrary, withCLibrary } from './c-library/c-library';
import { findDebianArchive } from './c-library/debian-archive';
import { isEnoughGlibc, NEEDED_GLIBC, findProcessor, runningGlibc } from './c-library/glibc';

/** Ignores a relative XDG_CACHE_HOME, as the XDG specification requires. */
export function userCacheFolder(): string {
  const { XDG_CACHE_HOME: folder = '' } = process.env;
  return isAbsolute(folder) ? folder : join(homedir(), '.cache');
}

export interface LauncherOptions {
  dataDir: string;
  host: EngineHost;
}

/** Uses a downloaded C library on older Debian releases. @throws EngineUnavailableError */
export async function engineLauncher({ dataDir, host }: LauncherOptions): Promise<CommandLine> {
  const { platform, arch, execPath } = process;
  if (platform === 'darwin' && arch === 'arm64') return { command: execPath, args: [] };
  const processor = platform === 'linux' ? findProcessor(arch) : undefined;
  if (processor === undefined) {
    throw new EngineUnavailableError(`it is not available for ${platform} on ${arch}`);
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

/** Uses DATA_DIR if the user has no home folder, as is common for service users. */
async function writableCacheFolder(dataDir: string): Promise<string> {
  try {
    // Throws if HOME is not set and the user has no entry in /etc/passwd.
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
  if (archive === null) throw new Error('that works only on Debian');
  return archive;
}
