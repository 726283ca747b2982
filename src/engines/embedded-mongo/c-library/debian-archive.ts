import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { ProgramEnvironment } from './engine-host';
import type { Processor } from './glibc';

const runProgram = promisify(execFile);
const COMMAND_TIMEOUT_MS = 180_000;

/** @throws Error with the program's name and the first line of its error output */
export async function runTool(
  program: string,
  args: string[],
  env: ProgramEnvironment,
  cwd?: string,
): Promise<string> {
  try {
    return (await runProgram(program, args, { cwd, env, timeout: COMMAND_TIMEOUT_MS })).stdout;
  } catch (error) {
    const { code, killed, stderr = '' } = error as CommandError;
    const reason =
      code === 'ENOENT' ? 'not found' : killed === true ? 'took too long' : firstError(stderr);
    throw new Error(`${basename(program)}: ${reason}`, { cause: error });
  }
}

interface CommandError extends Error {
  code?: number | string;
  killed?: boolean;
  stderr?: string;
}

function firstError(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((candidate) => /^(E|Err|error)\b/i.test(candidate)) ?? lines[0];
  // A private archive's URL may contain a password.
  return (line ?? 'failed without an error message').replace(/\/\/[^/\s]*@/g, '//');
}

/** The Debian release that provides the C library; verified with the system's key ring. */
export const DONOR_RELEASE = 'trixie';
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const PACKAGES = ['libc6', 'libstdc++6', 'libgcc-s1'];

/** Reads the archive's URL from apt's configuration; null if apt has no archive for the release. */
export async function findDebianArchive(
  codename: string,
  env: ProgramEnvironment,
): Promise<string | null> {
  const format = ['--format', '$(RELEASE) $(REPO_URI)'];
  // Without this option, apt lists only targets that `apt-get update` has downloaded.
  const list = ['--no-release-info', 'indextargets', ...format];
  const output = await runTool(
    'apt-get',
    [...list, 'Created-By: Packages', 'Component: main'],
    env,
  );
  const targets = output.split('\n').map((line) => line.split(' '));
  return targets.find(([release]) => release === codename)?.[1] ?? null;
}

/**
 * Needs no privileges and ignores the system's package state. Uses only the main suite, because
 * the updates suite expires and apt rejects an expired suite on mirrors that are not updated.
 */
export async function fetchCLibrary(
  archive: string,
  { debian, triplet }: Processor,
  folder: string,
  env: ProgramEnvironment,
  keyring = KEYRING,
): Promise<string> {
  const [packages, root] = [join(folder, 'packages'), join(folder, 'root')];
  for (const part of [packages, join(folder, 'lists/partial'), join(folder, 'archives/partial')]) {
    await mkdir(part, { recursive: true });
  }
  const sources = join(folder, 'sources.list');
  await writeFile(sources, `deb [signed-by=${keyring}] ${archive} ${DONOR_RELEASE} main\n`);
  const options = aptOptions(folder, sources, debian);
  await runTool('apt-get', [...options, 'update'], env);
  await runTool('apt-get', [...options, 'download', ...PACKAGES], env, packages);
  for (const file of await readdir(packages)) {
    await runTool('dpkg-deb', ['-x', join(packages, file), root], env);
  }
  return join(root, 'usr/lib', triplet);
}

function aptOptions(folder: string, sources: string, architecture: string): string[] {
  return Object.entries({
    'Dir::Etc::sourcelist': sources,
    'Dir::Etc::sourceparts': '/dev/null',
    // The system's pins or default release would exclude the packages from another release.
    'Dir::Etc::preferences': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'APT::Default-Release': '',
    'Dir::State': folder,
    'Dir::State::lists': join(folder, 'lists'),
    'Dir::State::status': '/dev/null',
    'Dir::Cache': folder,
    'Debug::NoLocking': '1',
    'APT::Sandbox::User': '',
    'APT::Architecture': architecture,
    'APT::Update::Error-Mode': 'any',
    // The library will be executed, so it is verified even if apt is configured to trust unsigned
    // archives. Dates are not verified, because a slow clock would make apt reject the archive.
    'Acquire::AllowInsecureRepositories': '0',
    'Acquire::AllowWeakRepositories': '0',
    'Acquire::AllowDowngradeToInsecureRepositories': '0',
    'APT::Get::AllowUnauthenticated': '0',
    'Acquire::Check-Date': '1',
    'Acquire::Check-Valid-Until': '1',
    'Acquire::Max-FutureTime': `${10 * 366 * 86_400}`,
    'Acquire::Languages': 'none',
    'Acquire::Retries': '2',
  }).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}
