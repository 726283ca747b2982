import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { ProgramEnvironment } from '../engine-host';
import type { Processor } from './glibc';

const runProgram = promisify(execFile);
const COMMAND_TIMEOUT_MS = 180_000;

/**
 * Runs a program of the system to its end and returns what it printed.
 * @throws Error in one line: the program and its own first error
 */
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
  // The address of a private archive may carry a password.
  return (line ?? 'failed without a word').replace(/\/\/[^/\s]*@/g, '//');
}

/** The release whose C library is taken, and who vouches for it: the system's own key ring. */
export const DONOR_RELEASE = 'trixie';
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const PACKAGES = ['libc6', 'libstdc++6', 'libgcc-s1'];

/**
 * The address this system fetches Debian's packages from, as its own apt has it; null when its
 * apt knows none for this release. Nothing needs to have been fetched before.
 */
export async function findDebianArchive(
  codename: string,
  env: ProgramEnvironment,
): Promise<string | null> {
  const format = ['--format', '$(RELEASE) $(REPO_URI)'];
  // Without --no-release-info it would list only what apt-get update has already fetched.
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
 * Fetches the C library of the donor release with apt, which verifies it, and unpacks it below
 * `folder`. The system's own package state is neither read nor changed, and no right is needed.
 * Only the release itself is asked for, which brings the security updates of each point release:
 * unlike it, the archive of single updates has an expiry that a frozen mirror would fail.
 * @param keyring who must have signed the archive
 * @returns the folder that holds the libraries and their loader
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
    // Pins and a default release of this system would hide the donor's packages.
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
    // The fetched library is executed: it is verified even where this system's apt is set to trust
    // anybody. A clock that is behind is no danger, but would have the archive refused.
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
