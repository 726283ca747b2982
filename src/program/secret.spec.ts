import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../config/settings';
import { existingSigningSecret, exposedSecrets, signingSecret, visitorSecret } from './secret';

describe('The generated secrets', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'curtail-secret-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  const settings = (env = {}) => readSettings({ DATA_DIR: dir, ...env });

  it('are created once, completely, and only their owner can read them', () => {
    const secrets = [signingSecret(settings()), visitorSecret(settings())];
    expect([signingSecret(settings()), visitorSecret(settings())]).toEqual(secrets);
    for (const secret of secrets) expect(secret).toMatch(/^[\w-]{43}$/);
    expect(readdirSync(dir).sort()).toEqual(['jwt-secret', 'visitor-key']);
    expect(exposedSecrets(settings())).toEqual([]);
  });

  it('are not created if the environment contains secrets', () => {
    const [JWT_SECRET, VISITOR_KEY] = ['j'.repeat(32), 'v'.repeat(32)];
    const given = settings({ JWT_SECRET, VISITOR_KEY });
    expect([signingSecret(given), visitorSecret(given)]).toEqual([JWT_SECRET, VISITOR_KEY]);
    expect(exposedSecrets(given)).toEqual([]);
    expect(readdirSync(dir)).toEqual([]);
  });

  it('are not created by commands that only need an existing secret', () => {
    expect(() => existingSigningSecret(settings())).toThrow('start the service first');
    expect(readdirSync(dir)).toEqual([]);
    const secret = signingSecret(settings());
    expect(existingSigningSecret(settings())).toBe(secret);
    const JWT_SECRET = 'j'.repeat(32);
    expect(existingSigningSecret(settings({ JWT_SECRET }))).toBe(JWT_SECRET);
  });

  it('may end with any line break, or none', () => {
    for (const end of ['', '\n', '\r\n']) {
      writeFileSync(join(dir, 'jwt-secret'), `${'s'.repeat(32)}${end}`);
      expect(signingSecret(settings())).toBe('s'.repeat(32));
    }
  });

  const FAULTS: [string, (path: string) => void, string][] = [
    ['empty', (path) => writeFileSync(path, ''), 'is empty; restore it from a backup'],
    ['blank', (path) => writeFileSync(path, ' \n'), 'is empty; restore it from a backup'],
    ['short', (path) => writeFileSync(path, 'geheim'), 'has fewer than 32 characters; restore it'],
    ['a folder', (path) => mkdirSync(path), 'is a folder, not a file; restore it'],
    ['a device', (path) => symlinkSync('/dev/zero', path), 'is a pipe, socket or device'],
    ['a link to nothing', (path) => symlinkSync('/nowhere', path), 'must name a file that exists'],
    ['zeros', (path) => writeFileSync(path, Buffer.alloc(44)), 'contains NUL bytes'],
  ];

  it.each(FAULTS)('prevent startup if their file is %s, and are not changed', (_, make, fault) => {
    for (const [name, read, cure] of [
      ['jwt-secret', signingSecret, 'or delete it to generate a new one, which ends all sessions'],
      ['visitor-key', visitorSecret, '(docs/operations.md#the-visitor-key)'],
    ] as const) {
      const path = join(dir, name);
      make(path);
      const said = () => read(settings());
      expect(said).toThrow(`${path} ${fault}`);
      expect(said).toThrow(cure);
      expect(said).toThrow(/^(?!.*geheim)[^\n]*$/);
    }
    expect(readdirSync(dir).sort()).toEqual(['jwt-secret', 'visitor-key']);
  });

  it('are used even if they are short, with a warning, if clicks were recorded with them', () => {
    for (const name of ['jwt-secret', 'visitor-key', 'recorder-intents']) {
      writeFileSync(join(dir, name), 'geheim', { mode: 0o600 });
    }
    expect(visitorSecret(settings())).toBe('geheim');
    expect(() => signingSecret(settings())).toThrow('has fewer than 32 characters');
    writeFileSync(join(dir, 'jwt-secret'), 'j'.repeat(32));
    expect(exposedSecrets(settings())).toEqual([
      expect.stringMatching(/visitor-key has fewer than 32 characters: (?!.*geheim)/),
    ]);
  });

  it('cause a warning if other users can read them', () => {
    signingSecret(settings());
    visitorSecret(settings());
    const path = join(dir, 'jwt-secret');
    for (const mode of [0o644, 0o640, 0o604]) {
      chmodSync(path, mode);
      expect(exposedSecrets(settings())).toEqual([
        `Other users can read ${path}; restrict it to its owner (chmod 600 ${path})`,
      ]);
    }
  });
});
