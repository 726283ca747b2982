import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');

/** Prints what a command receives. */
const COMMAND = `
  const { DATA_DIR, MONGODB_URI, JWT_SECRET, MAIL_FROM, SITE_NAME } = process.env;
  const settings = { DATA_DIR, MONGODB_URI, JWT_SECRET, MAIL_FROM, SITE_NAME };
  console.log(JSON.stringify({ settings, args: process.argv.slice(2) }));
`;
/** Runs the command as the current user. */
const SETPRIV = '#!/bin/sh\nwhile [ "$1" != node ]; do shift; done\nexec "$@"\n';
const URI = 'mongodb://ada:p%40ss@db.test,db2.test/curtail?replicaSet=rs0&w=majority&tls=true';

describe('the curtail function in the operations guide', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-operations-'));
  const [file, script] = [join(folder, 'curtail.env'), join(folder, 'curtail.js')];
  const definition = /^curtail\(\) \{\n[^]*?^\}$/m.exec(page)?.[0] ?? '';

  beforeAll(() => {
    writeFileSync(script, COMMAND);
    writeFileSync(join(folder, 'setpriv'), SETPRIV, { mode: 0o755 });
  });
  beforeEach(() => writeFileSync(file, ''));
  afterAll(() => rmSync(folder, { recursive: true }));

  function run(commands: string, env: Record<string, string> = {}) {
    const lines = `${definition}\n${commands}`
      .replaceAll('/etc/curtail.env', file)
      .replaceAll('/opt/curtail/dist/program/cli/curtail.js', script)
      .replaceAll('/var/lib/curtail/jwt-secret', script);
    const PATH = `${folder}:${process.env.PATH ?? ''}`;
    return spawnSync('sh', ['-c', lines], { env: { PATH, ...env }, encoding: 'utf8' });
  }
  const received = (commands: string, env?: Record<string, string>) =>
    JSON.parse(run(commands, env).stdout) as {
      settings: Record<string, string>;
      args: string[];
    };

  it('reads values as systemd does', () => {
    appendFileSync(
      file,
      `# The service's settings\nMONGODB_URI=${URI}\nSITE_NAME=Our short links\n` +
        `MAIL_FROM='Go & Co <go@example.com>'\nJWT_SECRET='a#b$HOME\\"c'\n`,
    );
    expect(received(`curtail admin block 'a b' '$5'`)).toEqual({
      settings: {
        DATA_DIR: '/var/lib/curtail',
        MONGODB_URI: URI,
        SITE_NAME: 'Our short links',
        MAIL_FROM: 'Go & Co <go@example.com>',
        JWT_SECRET: 'a#b$HOME\\"c',
      },
      args: ['admin', 'block', 'a b', '$5'],
    });
  });

  it('uses the DATA_DIR of the file, and variables set on the command line', () => {
    appendFileSync(file, `DATA_DIR=/srv/curtail\nMONGODB_URI=mongodb://former.test/curtail\n`);
    const { settings } = received(`MONGODB_URI='${URI}' curtail copy --to`);
    expect(settings).toMatchObject({ DATA_DIR: '/srv/curtail', MONGODB_URI: URI });
  });

  it('fails without the file', () => {
    rmSync(file);
    expect(run('curtail verify')).toMatchObject({ status: 9, stdout: '' });
  });

  it('reads the MONGODB_URI that the move to MongoDB adds', () => {
    const append = /^echo "MONGODB_URI=.*$/m.exec(page)?.[0] ?? '';
    expect(run(append, { MONGODB_URI: URI }).status).toBe(0);
    expect(received('curtail verify').settings.MONGODB_URI).toBe(URI);
  });
});

describe('the log lines that the guides contain', () => {
  const source = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .map((name) => readFileSync(join(ROOT, 'src', name), 'utf8'))
    .join('\n');
  const quoted = ['docs/operations.md', 'UPGRADE.md'].flatMap((name) =>
    [...readFileSync(join(ROOT, name), 'utf8').matchAll(/`((?:[A-Z][a-z-]+|this):? [\w ;….-]+)`/g)]
      .map(([, line = '']) => line)
      // An earlier release logged this line.
      .filter((line) => line !== 'Curtail listens on'),
  );

  it('exist in the program', () => {
    const isWritten = (line: string) =>
      new RegExp(line.replaceAll('.', '\\.').replaceAll('…', '.+')).test(source);
    expect(quoted.length).toBeGreaterThan(5);
    expect(quoted.filter((line) => !isWritten(line))).toEqual([]);
  });
});
