import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPatternsFile } from './patterns-file';
import { readSettings } from './settings';
import { readTextFile } from './text-file';

const TEXT = 'évil\\.example\r\n# ü\r\n';
const utf16 = (text: string) => Buffer.from(text, 'utf16le');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'curtail-text-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(bytes: string | Buffer): string {
  const path = join(folder, 'file');
  rmSync(path, { force: true });
  writeFileSync(path, bytes);
  return path;
}

describe('A text file from the operator', () => {
  it.each([
    ['UTF-8', Buffer.from(TEXT)],
    ['UTF-8 with a byte-order mark', Buffer.from(`\ufeff${TEXT}`)],
    ['UTF-16LE with a byte-order mark', utf16(`\ufeff${TEXT}`)],
    ['UTF-16BE with a byte-order mark', utf16(`\ufeff${TEXT}`).swap16()],
  ])('is accepted in %s', (_, bytes) => {
    expect(readTextFile(fileOf(bytes), 1000)).toBe(TEXT);
  });

  it.each([
    ['UTF-16LE without a mark', utf16(TEXT), 'that are not UTF-8'],
    ['UTF-16BE without a mark', utf16('abc').swap16(), 'contains NUL bytes, like UTF-16 without'],
    ['UTF-32LE', Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]), 'contains NUL bytes'],
    [
      'UTF-16LE cut in a character',
      Buffer.from([0xff, 0xfe, 0x61]),
      'not UTF-16LE: save it as UTF-8',
    ],
    ['Latin-1', Buffer.from('café', 'latin1'), 'not UTF-8 (is it Latin-1 or Windows-1252?)'],
    ['NUL bytes', Buffer.from('a\0b'), 'contains NUL bytes'],
    ['more bytes than are allowed', Buffer.alloc(1001, 'a'), 'has more than 1000 bytes'],
  ])('is rejected in %s', (_, bytes, reason) => {
    expect(() => readTextFile(fileOf(bytes), 1000)).toThrow(reason);
  });

  it('must exist and must not be a folder, pipe or device', () => {
    const pipe = join(folder, 'pipe');
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
    const nowhere = join(folder, 'nowhere');
    symlinkSync(join(folder, 'removed'), nowhere);
    expect(() => readTextFile(folder, 1000)).toThrow('is a folder, not a file');
    for (const path of [pipe, '/dev/zero']) {
      expect(() => readTextFile(path, 1000)).toThrow('is a pipe, socket or device');
    }
    for (const path of [nowhere, join(fileOf('x'), 'below')]) {
      expect(() => readTextFile(path, 1000)).toThrow('must name a file that exists');
    }
  });
});

describe('The variables that contain file names', () => {
  it.each([
    ['\ufeffevil\\.example\n', 'utf8'],
    ['\ufeffevil\\.example\r\n\r\n# ü', 'utf16le'],
    ['evil\\.example\r', 'utf8'],
    ['# a\revil\\.example', 'utf8'],
  ] as const)('apply BLOCKED_URLS_FILE with %j in %s', (text, encoding) => {
    const file = fileOf(Buffer.from(text, encoding));
    const { patternsFile } = readSettings({ BLOCKED_URLS_FILE: file }).blocklist;
    const sources = readPatternsFile(patternsFile ?? '').patterns.map(({ source }) => source);
    expect(sources).toEqual(['evil\\.example']);
  });

  it('accept LIMITS_FILE with a byte-order mark', () => {
    for (const encoding of ['utf8', 'utf16le'] as const) {
      const file = fileOf(Buffer.from('\ufeff{"links.create": "off"}\r\n', encoding));
      expect([...readSettings({ LIMITS_FILE: file }).limits]).toEqual([['links.create', 'off']]);
    }
  });

  it.each(['LIMITS_FILE', 'BLOCKED_URLS_FILE', 'JWT_SECRET_FILE'])(
    'prevent startup if the file contains other bytes: %s',
    (name) => {
      const latin = fileOf(Buffer.from('"café"', 'latin1'));
      expect(() => readSettings({ [name]: latin })).toThrow(
        `${name}="${latin}": contains bytes that are not UTF-8`,
      );
      expect(() => readSettings({ [name]: folder })).toThrow(
        `${name}="${folder}": is a folder, not a file`,
      );
    },
  );

  it('prevent startup if GEOIP_DB is not a file', () => {
    expect(() => readSettings({ GEOIP_DB: folder })).toThrow('is a folder, not a file');
    expect(() => readSettings({ GEOIP_DB: '/dev/null' })).toThrow('is a pipe, socket or device');
  });

  it('quote an invalid LIMITS_FILE on a single line', () => {
    const file = fileOf('{\n\n"a"\n x');
    expect(() => readSettings({ LIMITS_FILE: file })).toThrow(/must be JSON \([^\n]*\)$/);
  });
});

describe('A secret in a file', () => {
  const SECRETS: [string, string][] = [
    ['MONGODB_URI', 'mongodb://u:p@mongo.test/curtail'],
    ['JWT_SECRET', 'a secret of 32 or more characters'],
    ['VISITOR_KEY', 'a visitor key of 32 or more characters'],
    ['REDIS_URL', 'redis://:p@redis.test:6379/1'],
    ['SMTP_URL', 'smtp://u:p@mail.test:587'],
    ['GOOGLE_CLIENT_SECRET', 'google'],
    ['OIDC_CLIENT_SECRET', 'oidc'],
  ];
  const others = {
    GOOGLE_CLIENT_ID: 'g',
    OIDC_CLIENT_ID: 'o',
    OIDC_ISSUER: 'https://issuer.test',
  };
  const asVariables = Object.fromEntries(SECRETS);

  it.each(['\n', '\r\n', '', ' \n\n'])(
    "is equal to the variable's value, even with %j at the end",
    (end) => {
      const files = SECRETS.map(([name, value]) => {
        const path = join(folder, name);
        writeFileSync(path, `${value}${end}`);
        return [`${name}_FILE`, path] as const;
      });
      const settings = readSettings({ ...Object.fromEntries(files), ...others });
      expect(settings).toEqual(readSettings({ ...asVariables, ...others }));
    },
  );

  it.each(SECRETS)('prevents startup if %s has a value too', (name, value) => {
    const file = fileOf(value);
    const env = { ...asVariables, ...others, [`${name}_FILE`]: file };
    expect(() => readSettings(env)).toThrow(
      `${name}_FILE="${file}": is set together with ${name}: unset one of them`,
    );
    // A blank value counts as unset.
    expect(readSettings({ ...env, [name]: ' ' })).toEqual(
      readSettings({ ...asVariables, ...others }),
    );
  });

  it.each(['', '\n', ' \r\n'])('prevents startup if it contains only %j', (content) => {
    const file = fileOf(content);
    const line = `JWT_SECRET_FILE="${file}": is empty`;
    expect(() => readSettings({ JWT_SECRET_FILE: file })).toThrow(line);
  });

  it('is not quoted if it is invalid: the message contains the file name', () => {
    const file = fileOf('geheim');
    const said = () => readSettings({ JWT_SECRET_FILE: file });
    expect(said).toThrow(`JWT_SECRET_FILE="${file}": must have at least 16 characters`);
    expect(said).toThrow(/^(?!.*geheim)/);
    expect(() => readSettings({ REDIS_URL_FILE: fileOf('redis://:ge#heim@h') })).toThrow(
      /^REDIS_URL_FILE=(?!.*heim).*percent-encoded/,
    );
  });

  it('is not quoted if the variable contains the secret instead of a file name', () => {
    for (const secret of ['Zm9yIHRlc3Rz/IG9ubHk=', '/Zm9yIHRlc3Rz', 'redis://:geheim@h/0']) {
      expect(() => readSettings({ REDIS_URL_FILE: secret })).toThrow(
        'REDIS_URL_FILE="…": must name a file that exists',
      );
    }
    mkdirSync(join(folder, 'run'), { recursive: true });
    const missing = join(folder, 'run', 'missing');
    expect(() => readSettings({ REDIS_URL_FILE: missing })).toThrow(`REDIS_URL_FILE="${missing}"`);
  });
});

describe('Files of APP_LINKS_APPLE_FILE and APP_LINKS_ANDROID_FILE', () => {
  it('are read unchanged', () => {
    const read = (name: string, content: string) =>
      readSettings({ [name]: fileOf(content) }).appLinks;
    const none = { apple: null, android: null };
    expect(readSettings({}).appLinks).toEqual(none);
    expect(read('APP_LINKS_APPLE_FILE', '{ }\n')).toEqual({ ...none, apple: '{ }\n' });
    expect(read('APP_LINKS_ANDROID_FILE', '[\n]')).toEqual({ ...none, android: '[\n]' });
  });

  it.each([
    ['APP_LINKS_APPLE_FILE', '{', 'must be JSON'],
    ['APP_LINKS_APPLE_FILE', '[]', 'must be JSON: an object'],
    ['APP_LINKS_APPLE_FILE', 'null', 'must be JSON: an object'],
    ['APP_LINKS_ANDROID_FILE', '{}', 'must be JSON: an array'],
    ['APP_LINKS_ANDROID_FILE', '"a"', 'must be JSON: an array'],
    ['APP_LINKS_ANDROID_FILE', `["${'x'.repeat(16_384)}"]`, 'has more than 16384 bytes'],
  ])('prevent startup if %s contains %j', (name, content, problem) => {
    expect(() => readSettings({ [name]: fileOf(content) })).toThrow(problem);
  });
});
