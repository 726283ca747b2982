import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { eventually, freePort } from '../../support/service';

const ROOT = resolve(__dirname, '../../..');
const unit = readFileSync(join(ROOT, 'deploy/curtail.service'), 'utf8');

const said = (name: string) =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value ?? '');

describe('The systemd unit', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-unit-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function placed(text: string): string {
    return text
      .replace('/usr/bin/node', process.execPath)
      .replace('/opt/curtail', ROOT)
      .replace(/\/(var|run)\//g, `${folder}/$1/`);
  }

  it('starts the service with write access only to its folders, and stops it in time', async () => {
    const [command = '', ...args] = placed(said('ExecStart').join('')).split(' ');
    const environment = Object.fromEntries(
      said('Environment')
        .flatMap((line) => placed(line).split(' '))
        .map((setting) => setting.split('=') as [string, string]),
    );
    const { DATA_DIR = '', TMPDIR = '', XDG_CACHE_HOME = '' } = environment;
    expect(said('StateDirectory').map((name) => `${folder}/var/lib/${name}`)).toEqual([DATA_DIR]);
    expect(said('RuntimeDirectory').map((name) => `${folder}/run/${name}`)).toEqual([TMPDIR]);
    expect(said('CacheDirectory')).toEqual(['curtail']);
    for (const each of [DATA_DIR, TMPDIR, XDG_CACHE_HOME]) {
      mkdirSync(each, { recursive: true, mode: 0o700 });
    }
    const port = await freePort();
    const child = spawn(
      '/bin/sh',
      ['-c', `umask ${said('UMask').join('')}; exec "$@"`, '--', command, ...args],
      {
        cwd: '/',
        // Uses the C library that is already on this machine.
        env: {
          PATH: '/usr/bin:/bin',
          ...environment,
          XDG_CACHE_HOME: join(homedir(), '.cache'),
          PORT: String(port),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const ended = once(child, 'close');
    let log = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (piece: Buffer) => (log += piece.toString()));
    }
    try {
      await eventually('the service is healthy', async () => {
        if (child.exitCode !== null) throw new Error(log);
        const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => null);
        return answer?.status === 200;
      });
      expect(readdirSync(TMPDIR)).toContainEqual(expect.stringMatching(/^curtail-/));
      await eventually('the recorder has begun', () => existsSync(join(DATA_DIR, 'node-id')));
      expect(existsSync(join(DATA_DIR, 'jwt-secret'))).toBe(true);
      const files = readdirSync(DATA_DIR, { recursive: true }).map(String);
      const open = files.filter((name) => {
        const found = statSync(join(DATA_DIR, name), { throwIfNoEntry: false });
        return found !== undefined && (found.mode & 0o077) !== 0;
      });
      expect(open).toEqual([]);
    } finally {
      child.kill('SIGTERM');
      await ended;
    }
    expect(await ended).toEqual([0, null]);
    expect(existsSync(join(DATA_DIR, 'curtail.lock'))).toBe(false);
  });

  it('grants the permissions that the service and its database need', () => {
    // The restrictions must allow JIT code, the processes' /proc entries, and the IP database.
    expect(said('MemoryDenyWriteExecute')).toEqual([]);
    expect(said('ProcSubset')).toEqual([]);
    expect(said('RestrictAddressFamilies')[0]?.split(' ').sort()).toEqual([
      'AF_INET',
      'AF_INET6',
      'AF_NETLINK',
      'AF_UNIX',
    ]);
    expect(said('SystemCallFilter')).toEqual(['@system-service @pkey']);
    // The primary stops its children within ten seconds.
    expect(said('KillMode')).toEqual(['mixed']);
    expect(parseInt(said('TimeoutStopSec')[0] ?? '', 10)).toBeGreaterThan(10);
    expect(said('Environment').join(' ')).toContain('HOST=127.0.0.1');
  });
});
