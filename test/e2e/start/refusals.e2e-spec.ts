import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ODD_FILES } from '../../support/shared/odd-files';
import { refusedStart } from '../../support/refused-start';
import { startService } from '../../support/service';

const isRoot = process.getuid?.() === 0;
const hasSetpriv = spawnSync('setpriv', ['--version']).status === 0;

/** Drops capabilities if the test runs as root. Other users have none. */
function without(...capabilities: string[]): [] | [string, ...string[]] {
  if (!isRoot) return [];
  return ['setpriv', '--bounding-set', capabilities.map((name) => `-${name}`).join(',')];
}

function database(): Record<string, string> {
  const name = `refused${process.pid}`;
  return {
    MONGODB_URI: (process.env.CURTAIL_TEST_MONGO ?? '').replace('%DB%', name),
    JWT_SECRET: 'a secret of the end-to-end tests',
    VISITOR_KEY: 'a visitor key of the end-to-end tests',
  };
}

describe('a start that cannot succeed ends with a one-line message that says what to do:', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'curtail-refused-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const expectLine = async (
    line: RegExp | string,
    env: Record<string, string>,
    wrapper?: [] | [string, ...string[]],
  ) => {
    const { code, lines } = await refusedStart({ DATA_DIR: join(folder, 'data'), ...env }, wrapper);
    expect(lines).toEqual([
      typeof line === 'string' ? expect.stringContaining(line) : expect.stringMatching(line),
    ]);
    expect(code).toBe(1);
  };

  describe('DATA_DIR', () => {
    it.each(['file', 'file/below'])('that is a file, or below a file: %s', async (name) => {
      writeFileSync(join(folder, 'file'), '');
      const line = `${join(folder, 'file')} is not a folder; set DATA_DIR to an existing`;
      await expectLine(line, { DATA_DIR: join(folder, name) });
    });

    it('where no folder can be created', async () => {
      const line = 'DATA_DIR="/proc/curtail": cannot create /proc/curtail (ENOENT); set DATA_DIR';
      await expectLine(line, { DATA_DIR: '/proc/curtail' });
    });

    (hasSetpriv || !isRoot ? it : it.skip)('that is not writable', async () => {
      const dir = join(folder, 'data');
      mkdirSync(dir);
      chmodSync(dir, 0o500);
      const line = new RegExp(
        `^DATA_DIR="${dir}": user \\d+ cannot write to ${dir}; .*set DATA_DIR to another folder$`,
      );
      await expectLine(
        line,
        { DATA_DIR: dir, WEB_CONCURRENCY: '2' },
        without('dac_override', 'dac_read_search'),
      );
    });

    (hasSetpriv || !isRoot ? it : it.skip).each(['mongo', 'journal'])(
      'of which a start as another user has made a part: %s',
      async (part) => {
        mkdirSync(join(folder, 'data', part), { recursive: true, mode: 0o500 });
        const line = `cannot write to ${join(folder, 'data', part)}; `;
        await expectLine(line, database(), without('dac_override', 'dac_read_search'));
      },
    );
  });

  // The service opens all files in the same way, so other kinds are unit tests.
  describe('a pipe in place of', () => {
    const expectLineInPlaceOf = async (name: string, line: string) => {
      mkdirSync(join(folder, 'data'));
      await ODD_FILES['a pipe']?.(join(folder, 'data', name));
      await expectLine(`${join(folder, 'data', name)} ${line}`, database());
    };

    it.each(['curtail.lock', 'recorder.lock'])('%s', async (name) => {
      await expectLineInPlaceOf(name, 'is not a regular file; remove it');
    });
    it.each(['mongo', 'journal', 'outbox'])('%s', async (name) => {
      await expectLineInPlaceOf(name, 'is not a folder; remove it');
    });
  });

  describe.each(['1', '2'])('with WEB_CONCURRENCY=%s,', (WEB_CONCURRENCY) => {
    it('a HOST that is not an address of this machine', async () => {
      const line = /^HOST=192\.0\.2\.55: this machine has no such address; set HOST to one/;
      await expectLine(line, { HOST: '192.0.2.55', WEB_CONCURRENCY, ...database() });
    });

    it('a PORT that is in use', async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as { port: number };
      const PORT = String(port);
      const line = `PORT=${PORT}: the address is in use; stop the program that listens there`;
      await expectLine(line, { HOST: '127.0.0.1', PORT, WEB_CONCURRENCY, ...database() });
      await new Promise((resolve) => server.close(resolve));
    });
  });

  it('an unknown row in LIMITS_FILE', async () => {
    const file = join(folder, 'limits.json');
    writeFileSync(file, '{"links.crate": "off"}');
    const line = 'LIMITS_FILE: "links.crate" is not one of links.create, links.check-alias';
    await expectLine(line, { LIMITS_FILE: file, ...database() });
  });

  it('a HOST that does not resolve', async () => {
    const line = /^HOST=nowhere\.invalid: this name has no address; set HOST to/;
    await expectLine(line, { HOST: 'nowhere.invalid', ...database() });
  });

  (hasSetpriv || !isRoot ? it : it.skip)('a PORT that only root may have', async () => {
    const first = readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8');
    expect(Number(first)).toBeGreaterThan(81);
    const line = /^PORT=81: only root may listen on this port; set PORT to 1024 or more/;
    const env = { HOST: '127.0.0.1', PORT: '81', ...database() };
    await expectLine(line, env, without('net_bind_service'));
  });

  it('a GEOIP_DB that is not a city database', async () => {
    const file = join(folder, 'broken.mmdb');
    writeFileSync(file, 'no database');
    const line = `GEOIP_DB="${file}": cannot be read as a city database`;
    await expectLine(line, { HOST: '127.0.0.1', GEOIP_DB: file, ...database() });
  });

  it('an unreachable MONGODB_URI with two processes', async () => {
    const MONGODB_URI = 'mongodb://u:geheim@127.0.0.1/c?foo=bar';
    const line = /^MONGODB_URI="…": (?!.*heim).*option foo is not supported/;
    await expectLine(line, { ...database(), MONGODB_URI, WEB_CONCURRENCY: '2' });
  });

  it('a MONGODB_URI that is not a URL', async () => {
    const MONGODB_URI = 'mongodb://u:ge/heim@127.0.0.1/c';
    const line = /^MONGODB_URI="…": (?!.*heim).*is not a valid URL/;
    await expectLine(line, { ...database(), MONGODB_URI });
  });

  it('a password that is not escaped in a URL', async () => {
    const REDIS_URL = 'redis://user:ge%zzheim@127.0.0.1:6379';
    await expectLine(/^REDIS_URL="…": (?!.*heim).*percent-encoded/, { REDIS_URL });
  });

  it.each(['jwt-secret', 'visitor-key'])('an empty %s in DATA_DIR', async (name) => {
    const file = join(folder, 'data', name);
    mkdirSync(join(folder, 'data'), { mode: 0o700 });
    writeFileSync(file, '');
    const { MONGODB_URI = '', JWT_SECRET = '' } = database();
    // MONGODB_URI requires the signing secret in the environment.
    const env: Record<string, string> = name === 'jwt-secret' ? {} : { MONGODB_URI, JWT_SECRET };
    await expectLine(`${file} is empty; restore it from a backup`, env);
  });

  it('a file in an unknown encoding', async () => {
    const file = join(folder, 'limits.json');
    writeFileSync(file, Buffer.from('{"links.create": "off", "café": "off"}', 'latin1'));
    const line = `LIMITS_FILE="${file}": contains bytes that are not UTF-8`;
    await expectLine(line, { LIMITS_FILE: file });
  });

  (hasSetpriv || !isRoot ? it : it.skip)('a file that may not be read', async () => {
    const file = join(folder, 'limits.json');
    writeFileSync(file, '{}', { mode: 0o000 });
    const line = new RegExp(`^LIMITS_FILE="${file}": cannot be read by user \\d+$`);
    await expectLine(line, { LIMITS_FILE: file }, without('dac_override', 'dac_read_search'));
  });

  it('a second service on the same DATA_DIR', async () => {
    const service = await startService({ dataDir: join(folder, 'data') });
    await expectLine('is in use by another Curtail', {});
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    expect(await service.stop()).toBe(0);
  });
});
