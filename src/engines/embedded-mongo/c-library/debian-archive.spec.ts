import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { downloadEnvironment } from '../../../config/environment';
import { DONOR_RELEASE, fetchCLibrary } from './debian-archive';
import { findProcessor } from './glibc';

const TOOLS = ['/usr/bin/apt-get', '/usr/bin/dpkg-deb', '/usr/bin/gpg'];
const onDebian = TOOLS.every((tool) => existsSync(tool)) ? it : it.skip;

const root = mkdtempSync(join(tmpdir(), 'curtail-archive-'));
const processor = findProcessor(process.arch)!;
const keyring = join(root, 'keyring.gpg');
const home = join(root, 'gpg');
const laxConfiguration = join(root, 'apt.conf');
const before = process.env.APT_CONFIG;
let folders = 0;

function gpg(...args: string[]): Buffer {
  const options = ['--homedir', home, '--batch', '--yes', '--quiet', '--passphrase', ''];
  return execFileSync('gpg', [...options, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
}

/** Creates a package that contains a single file, in the C library's folder. */
function aPackage(archive: string, name: string): string {
  const tree = join(archive, 'build', name);
  mkdirSync(join(tree, 'DEBIAN'), { recursive: true });
  mkdirSync(join(tree, 'usr/lib', processor.triplet), { recursive: true });
  writeFileSync(join(tree, 'usr/lib', processor.triplet, name), name);
  const control = `Package: ${name}\nVersion: 1\nArchitecture: ${processor.debian}\nMaintainer: Test\nDescription: test\n`;
  writeFileSync(join(tree, 'DEBIAN/control'), control);
  const file = join(archive, `${name}.deb`);
  execFileSync('dpkg-deb', ['--root-owner-group', '-b', tree, file], { stdio: 'ignore' });
  const content = readFileSync(file);
  const sha256 = createHash('sha256').update(content).digest('hex');
  return `${control}Filename: ${name}.deb\nSize: ${content.length}\nSHA256: ${sha256}\n`;
}

/** Creates a local archive with the packages to download, and returns its address. */
function anArchive(extra: string, signed: boolean): string {
  const archive = join(root, `archive-${(folders += 1)}`);
  const dist = join(archive, 'dists', DONOR_RELEASE);
  const index = `main/binary-${processor.debian}/Packages`;
  mkdirSync(join(dist, `main/binary-${processor.debian}`), { recursive: true });
  const packages = ['libc6', 'libstdc++6', 'libgcc-s1'].map((name) => aPackage(archive, name));
  const text = packages.join('\n');
  writeFileSync(join(dist, index), text);
  const sha256 = createHash('sha256').update(text).digest('hex');
  const release = join(dist, 'Release');
  writeFileSync(
    release,
    `Origin: Test\nSuite: stable\nCodename: ${DONOR_RELEASE}\nComponents: main\n` +
      `Architectures: ${processor.debian}\n${extra}SHA256:\n ${sha256} ${Buffer.byteLength(text)} ${index}\n`,
  );
  if (signed) gpg('--clearsign', '-o', join(dist, 'InRelease'), release);
  return `file://${archive}`;
}

async function fetchFrom(archive: string): Promise<string> {
  const folder = join(root, `fetched-${(folders += 1)}`);
  mkdirSync(folder);
  return fetchCLibrary(archive, processor, folder, downloadEnvironment(), keyring);
}

const at = (days: number) => new Date(Date.now() + days * 86_400_000).toUTCString();

beforeAll(() => {
  if (onDebian !== it) return;
  mkdirSync(home, { mode: 0o700 });
  gpg('--quick-gen-key', 'archive@example.test', 'rsa3072', 'sign', 'never');
  writeFileSync(keyring, gpg('--export'));
  // An apt configuration that trusts unsigned archives; apt reads it after the system's files and
  // before our options.
  writeFileSync(
    laxConfiguration,
    [
      'Acquire::AllowInsecureRepositories "1";',
      'Acquire::AllowWeakRepositories "1";',
      'Acquire::AllowDowngradeToInsecureRepositories "1";',
      'APT::Get::AllowUnauthenticated "1";',
      'Acquire::Check-Valid-Until "false";',
      'Acquire::Check-Date "false";',
    ].join('\n'),
  );
  process.env.APT_CONFIG = laxConfiguration;
});

afterAll(() => {
  if (before === undefined) delete process.env.APT_CONFIG;
  else process.env.APT_CONFIG = before;
  if (onDebian === it) {
    execFileSync('gpgconf', ['--homedir', home, '--kill', 'gpg-agent'], { stdio: 'ignore' });
  }
  rmSync(root, { recursive: true, force: true });
});

describe('fetchCLibrary, on a system whose apt trusts any archive', () => {
  onDebian('accepts a signed archive', async () => {
    const folder = await fetchFrom(anArchive(`Date: ${at(-1)}\nValid-Until: ${at(6)}\n`, true));
    expect(readFileSync(join(folder, 'libc6'), 'utf8')).toBe('libc6');
  });

  onDebian(
    'accepts an archive without an expiry, such as a stable release, and one of "tomorrow"',
    async () => {
      const old = await fetchFrom(anArchive(`Date: ${at(-400)}\n`, true));
      expect(existsSync(join(old, 'libstdc++6'))).toBe(true);
      const ahead = await fetchFrom(anArchive(`Date: ${at(30)}\n`, true));
      expect(existsSync(join(ahead, 'libgcc-s1'))).toBe(true);
    },
  );

  onDebian('refuses an unsigned archive', async () => {
    await expect(fetchFrom(anArchive(`Date: ${at(-1)}\n`, false))).rejects.toThrow(/not signed/);
  });

  onDebian('refuses an archive that was changed after it was signed', async () => {
    const archive = anArchive(`Date: ${at(-1)}\n`, true);
    const file = join(archive.slice('file://'.length), 'dists', DONOR_RELEASE, 'InRelease');
    writeFileSync(file, readFileSync(file, 'utf8').replace('Origin: Test', 'Origin: Evil'));
    await expect(fetchFrom(archive)).rejects.toThrow(/signature|not signed|verif/i);
  });

  onDebian('refuses an expired archive', async () => {
    const expired = anArchive(`Date: ${at(-9)}\nValid-Until: ${at(-2)}\n`, true);
    await expect(fetchFrom(expired)).rejects.toThrow(/expired/);
  });
});
