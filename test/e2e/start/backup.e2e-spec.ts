import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import request from 'supertest';
import { acquireProcessLock } from '../../../src/processes/process-lock';
import { curtail, type CommandEnd } from '../../support/curtail';
import { databaseOf } from '../../support/database';
import { journalEmpty } from '../../support/exact-clicks';
import { aKey, aVerifiedAccount, type TestAccount } from '../../support/factories/accounts';
import { bearer, post, visit } from '../../support/http';
import { eventually, type Service, startService } from '../../support/service';
import { describeOnSmallDisk, SmallDisk } from '../../support/small-disk';

interface Manifest {
  format: number;
  files: { name: string; bytes: number; sha256: string; documents?: number }[];
}

const VISITS = 3;

function filesOf(folder: string): Map<string, number> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const stats = names.map((name) => [name, statSync(join(folder, name))] as const);
  return new Map(
    stats.filter(([, found]) => found.isFile()).map(([name, found]) => [name, found.mode & 0o777]),
  );
}

const namesIn = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort() : ['-'];

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'backup.json'), 'utf8')) as Manifest;

const digestOf = (path: string): string =>
  createHash('sha256').update(readFileSync(path)).digest('hex');

function expectWhole(folder: string): Manifest {
  const manifest = manifestOf(folder);
  const files = filesOf(folder);
  expect([...files.keys()]).toEqual(
    ['backup.json', ...manifest.files.map(({ name }) => name)].sort(),
  );
  for (const { name, bytes, sha256 } of manifest.files) {
    expect([name, statSync(join(folder, name)).size]).toEqual([name, bytes]);
    expect([name, digestOf(join(folder, name))]).toEqual([name, sha256]);
  }
  return manifest;
}

function documentsOf(path: string): Record<string, unknown>[] {
  const bytes = readFileSync(path);
  const documents: Record<string, unknown>[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readInt32LE(at)) {
    documents.push(mongo.BSON.deserialize(bytes.subarray(at, at + bytes.readInt32LE(at))));
  }
  return documents;
}

describe('curtail backup and curtail restore', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-backup-'));
  const dataDir = join(folder, 'data');
  const below = (name: string): string => join(folder, name);
  let service: Service;
  let account: TestAccount;
  let key: string;

  beforeAll(async () => {
    mkdirSync(dataDir, { mode: 0o700 });
    service = await startService({ dataDir, embedded: true });
    account = await aVerifiedAccount(service);
    key = await aKey(service, account, ['admin:all']);
    const input = { long_url: 'https://example.com/kept', alias: 'kept', max_clicks: 9 };
    await post(service, '/api/v1/shorten', input).set(bearer(key)).expect(201);
    for (let i = 0; i < VISITS; i += 1) await visit(service, 'kept').expect(302);
    expect(await curtail(dataDir, ['backup', below('sound')])).toMatchObject({ code: 0, err: '' });
  });
  afterAll(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Compares what an owner sees in a restored DATA_DIR with the original. */
  async function expectRestored(restored: string): Promise<void> {
    expect(await curtail(restored, ['verify'])).toMatchObject({
      code: 0,
      out: expect.stringContaining(' 0 differences, 0 repaired\n'),
    });
    const other = await startService({ dataDir: restored, embedded: true });
    try {
      await journalEmpty(restored);
      const { body } = await request(other.url).get('/api/v1/urls').set(bearer(key)).expect(200);
      expect(body).toMatchObject({
        items: [{ alias: 'kept', total_clicks: VISITS, max_clicks: 9 }],
      });
      const { email, password } = account;
      await post(other, '/auth/login', { email, password }).expect(200);
      // The signing secret is part of the backup.
      await request(other.url).get('/auth/me').set(bearer(account.accessToken)).expect(200);
      await visit(other, 'kept').expect(302);
      await journalEmpty(restored);
    } finally {
      await other.stop();
    }
    expect(await curtail(restored, ['verify'])).toMatchObject({
      code: 0,
      out: `verify: 1 link, ${VISITS + 1} clicks, 0 differences, 0 repaired\n`,
    });
  }

  it('creates a folder of private files while the service runs, in the format of mongodump', () => {
    const sound = below('sound');
    const manifest = expectWhole(sound);
    expect(manifest).toMatchObject({
      format: 1,
      version: expect.any(String),
      started_at: expect.any(String),
      finished_at: expect.any(String),
    });
    expect(new Set(filesOf(sound).values())).toEqual(new Set([0o600]));
    const [link, ...others] = documentsOf(join(sound, 'database/links.bson'));
    expect(link).toMatchObject({ alias: 'kept', long_url: 'https://example.com/kept' });
    expect(others).toEqual([]);
    expect(manifest.files.find(({ name }) => name === 'database/links.bson')?.documents).toBe(1);
    const metadata = readFileSync(join(sound, 'database/links.metadata.json'), 'utf8');
    expect(JSON.parse(metadata)).toMatchObject({
      collectionName: 'links',
      indexes: expect.arrayContaining([
        expect.objectContaining({ name: '_id_', key: { _id: { $numberInt: '1' } } }),
        expect.objectContaining({ key: { alias: { $numberInt: '1' } }, unique: true }),
      ]),
    });
    const names = manifest.files.map(({ name }) => name);
    for (const name of ['recorder-intents', 'node-id', 'jwt-secret', 'visitor-key']) {
      expect(names).toContain(`data/${name}`);
    }
    expect(namesIn(dataDir)).not.toContain('backup.lock');
    expect(namesIn(dataDir)).not.toContain('recorder-pause');
  });

  it('restores a folder to a new DATA_DIR, with every link, account and click', async () => {
    const restored = below('restored');
    const end = await curtail(restored, ['restore', below('sound')]);
    expect(end).toMatchObject({ code: 0, err: '' });
    expect(end.out).toMatch(
      /^restore: \d+ collections, \d+ documents in .*\nAccounts deleted since .*\n$/,
    );
    expect(namesIn(restored)).not.toContain('restore');
    expect(statSync(restored).mode & 0o777).toBe(0o700);
    await expectRestored(restored);
  });

  it('creates and restores an archive that tar can read, compressed or not', async () => {
    const archive = below('archive.tar.gz');
    const end = await curtail(dataDir, ['backup', archive]);
    expect(end).toMatchObject({ code: 0, err: '' });
    expect(end.out).toMatch(/^backup: \d+ collections, \d+ documents, \d+ bytes in .*\n$/);
    expect(statSync(archive).mode & 0o777).toBe(0o600);
    const unpacked = below('unpacked');
    mkdirSync(unpacked);
    const { status, stderr } = spawnSync('tar', ['-xzf', archive, '-C', unpacked]);
    expect([status, stderr.toString()]).toEqual([0, '']);
    expectWhole(unpacked);
    // The entries are in another order and have names with ./, like those that tar writes.
    const packed = below('packed.tar');
    expect(spawnSync('tar', ['-cf', packed, '-C', unpacked, '.']).status).toBe(0);
    const restored = below('restored-archive');
    expect(await curtail(restored, ['restore', packed])).toMatchObject({ code: 0 });
    rmSync(restored, { recursive: true });
    expect(await curtail(restored, ['restore', archive])).toMatchObject({ code: 0 });
    await expectRestored(restored);
    const plain = below('plain.tar');
    expect(await curtail(dataDir, ['backup', plain])).toMatchObject({ code: 0, err: '' });
    expect(spawnSync('tar', ['-tf', plain]).status).toBe(0);
  });

  it('omits generated secrets on request, and the restore says this', async () => {
    const target = below('without');
    const end = await curtail(dataDir, ['backup', '--without-secrets', target]);
    expect(end).toMatchObject({ code: 0, err: '' });
    expect([...filesOf(target).keys()].filter((name) => /secret|visitor/.test(name))).toEqual([]);
    const restored = below('restored-without');
    const { code, err } = await curtail(restored, ['restore', target]);
    expect(code).toBe(0);
    expect(err).toMatch(/^The backup has no jwt-secret and no visitor-key: [^\n]*\n$/);
  });

  it('says that it does not include clicks in ClickHouse', async () => {
    const database = await databaseOf(service);
    const settings = database.collection<{ _id: string; value: string }>('settings');
    const setClickHome = (value: string) =>
      settings.updateOne({ _id: 'click_home' }, { $set: { value } }, { upsert: true });
    await setClickHome('clickhouse');
    const end = await curtail(dataDir, ['backup', below('elsewhere')]);
    await setClickHome('mongodb');
    await database.close();
    expect(end).toMatchObject({ code: 0, err: '' });
    const [, second, ...more] = end.out.trimEnd().split('\n');
    expect([second, more]).toEqual([
      'backup: contains only click totals. The clicks are in ClickHouse, which needs its own backup',
      [],
    ]);
  });

  it('also works while the service is stopped', async () => {
    const restored = below('still');
    expect(await curtail(restored, ['restore', below('sound')])).toMatchObject({ code: 0 });
    const again = below('still-backup');
    expect(await curtail(restored, ['backup', again])).toMatchObject({ code: 0 });
    const links = 'database/links.bson';
    expect(digestOf(join(again, links))).toBe(digestOf(join(below('sound'), links)));
  });

  it('deletes the accounts in a list or a trail, so that a restore does not bring them back', async () => {
    const [list, restored, again] = [below('ids'), below('fewer'), below('fewer-backup')];
    writeFileSync(list, `${account.userId}\n${'f'.repeat(24)}\n`);
    const args = ['restore', '--without-accounts', list, below('sound')];
    const end = await curtail(restored, args);
    const { userId, email } = account;
    expect(end).toMatchObject({ code: 0, err: '' });
    expect(end.out).toBe(
      `restore: account ${userId} (${email}) will be deleted at the next start\n${end.out.split('\n')[1] ?? ''}\n`,
    );
    expect(await curtail(restored, ['backup', again])).toMatchObject({ code: 0 });
    expect(documentsOf(join(again, 'database/accounts.bson'))).toMatchObject([
      { email, deletes_at: expect.any(Date) },
    ]);
    writeFileSync(list, 'not an id');
    const refused = await curtail(below('never'), args);
    expect(refused).toMatchObject({ code: 2, err: expect.stringMatching(/^Line 1 is neither/) });
    expect(existsSync(below('never'))).toBe(false);
  });

  it.each<[string, string[], Record<string, string>, RegExp]>([
    ['no argument', [], {}, /^Missing argument: a folder, or a file/],
    ['a second argument', ['a', 'b'], {}, /^Only one folder or file is allowed\n/],
    ['an unknown option', ['--with-mails', 'a'], {}, /^Unknown option --with-mails\n/],
    ['MONGODB_URI', ['a'], { MONGODB_URI: 'mongodb://127.0.0.1:9/x' }, /mongodump/],
  ])('with %s prints its usage', async (_, args, env, reason) => {
    for (const command of ['backup', 'restore']) {
      const given = args.map((arg) => (arg.startsWith('-') ? arg : below(arg)));
      const end = await curtail(dataDir, [command, ...given], env);
      expect(end).toMatchObject({ code: 2, out: '', err: expect.stringMatching(reason) });
      expect(end.err).toContain(`Usage: curtail ${command}`);
      expect(existsSync(below('a'))).toBe(false);
    }
  });

  function expectRefused(end: CommandEnd, reason: string): void {
    expect(end).toMatchObject({ code: 1, out: '', err: expect.stringContaining(reason) });
    expect(end.err).toMatch(/^[^\n]+\n$/);
  }

  it.each<[string, string, (path: string) => void, string]>([
    [
      'a folder with something in it',
      'full',
      (path) => {
        mkdirSync(path);
        writeFileSync(join(path, 'mine'), '');
      },
      'is not empty',
    ],
    ['a file that is there', 'there.tar', (path) => writeFileSync(path, 'mine'), 'already exists'],
    ['a folder that is a file', 'file', (path) => writeFileSync(path, 'mine'), 'is not a folder'],
    ['a file in no folder', 'nowhere/x.tar', () => undefined, 'ENOENT'],
  ])('creates no backup in %s', async (_, name, make, reason) => {
    const path = below(name);
    make(path);
    const before = namesIn(folder).filter((found) => !found.startsWith('data'));
    expectRefused(await curtail(dataDir, ['backup', path]), reason);
    expect(namesIn(folder).filter((found) => !found.startsWith('data'))).toEqual(before);
  });

  it('creates no backup without a database', async () => {
    expectRefused(await curtail(below('none'), ['backup', below('x')]), 'There is no database in');
    expect(existsSync(below('x'))).toBe(false);
  });

  it('creates no backup during another one, while clicks stay in the journal', async () => {
    const lock = await acquireProcessLock(join(dataDir, 'backup.lock'), { waitMs: 0 });
    try {
      await eventually('the recorder waits', () => existsSync(join(dataDir, 'recorder-pause')));
      await visit(service, 'kept').expect(302);
      const end = await curtail(dataDir, ['backup', below('x')]);
      expectRefused(end, `is running (process ${process.pid})`);
      expect(namesIn(join(dataDir, 'journal'))).not.toEqual([]);
    } finally {
      lock.release();
    }
    expect(existsSync(below('x'))).toBe(false);
    await journalEmpty(dataDir);
  });

  const LINKS = 'database/links.bson';
  const edited = (path: string, change: (manifest: Manifest) => object): void => {
    const file = join(path, 'backup.json');
    writeFileSync(file, JSON.stringify(change(manifestOf(path))));
  };
  it.each<[string, (path: string) => void, string]>([
    ['without its manifest', (path) => rmSync(join(path, 'backup.json')), 'no backup.json'],
    ['with another manifest', (path) => writeFileSync(join(path, 'backup.json'), '{'), 'damaged'],
    [
      'of a later format',
      (path) => edited(path, (all) => ({ ...all, format: 2 })),
      'later version',
    ],
    [
      'that leads out of its folder',
      (path) =>
        edited(path, ({ files, ...all }) => ({
          ...all,
          files: [...files, { ...files[0], name: 'data/journal/../../x.sealed' }],
        })),
      'damaged',
    ],
    ['that lacks a collection', (path) => rmSync(join(path, LINKS)), `lacks ${LINKS}`],
    [
      'with another byte',
      (path) => {
        const bytes = readFileSync(join(path, LINKS));
        bytes[bytes.length - 9]! ^= 1;
        writeFileSync(join(path, LINKS), bytes);
      },
      `${LINKS} is damaged`,
    ],
    ['cut off', (path) => truncateSync(join(path, LINKS), 99), `${LINKS} is damaged`],
    [
      'whose collection is no BSON',
      (path) => {
        const nonsense = Buffer.from('this is no document');
        writeFileSync(join(path, LINKS), nonsense);
        edited(path, ({ files, ...all }) => ({
          ...all,
          files: files.map((file) =>
            file.name === LINKS
              ? { ...file, bytes: nonsense.length, sha256: digestOf(join(path, LINKS)) }
              : file,
          ),
        }));
      },
      'links.bson is damaged',
    ],
  ])('restores nothing from a backup %s', async (_, harm, reason) => {
    const [broken, fresh] = [below('broken'), below('fresh')];
    rmSync(broken, { recursive: true, force: true });
    cpSync(below('sound'), broken, { recursive: true });
    harm(broken);
    expectRefused(await curtail(fresh, ['restore', broken]), reason);
    expect(existsSync(fresh)).toBe(false);
  });

  it('restores nothing from an invalid or truncated archive', async () => {
    const fresh = below('fresh');
    const whole = below('whole.tar.gz');
    expect(await curtail(dataDir, ['backup', whole])).toMatchObject({ code: 0 });
    const half = below('half.tar.gz');
    copyFileSync(whole, half);
    truncateSync(half, Math.floor(statSync(whole).size / 2));
    const text = below('text.tar');
    writeFileSync(text, 'no archive'.repeat(1000));
    for (const [path, reason] of [
      [half, 'damaged or incomplete'],
      [text, 'is not a tar file, or is damaged'],
      [below('gone.tar'), 'ENOENT'],
      [below('gone'), 'ENOENT'],
    ] as const) {
      expectRefused(await curtail(fresh, ['restore', path]), reason);
    }
    expect(existsSync(fresh)).toBe(false);
  });

  it('rejects a DATA_DIR that is in use, or contains files that a restore would create', async () => {
    const sound = below('sound');
    expectRefused(await curtail(dataDir, ['restore', sound]), `process ${service.process.pid}`);
    for (const [name, reason] of [
      ['mongo/WiredTiger', 'already has a database'],
      ['node-id', 'already has node-id'],
      ['visitor-key', 'already has visitor-key'],
      ['journal/1..0123456789ab-000001.sealed', 'Clicks are waiting in'],
    ] as const) {
      const taken = below('taken');
      mkdirSync(join(taken, name, '..'), { recursive: true });
      writeFileSync(join(taken, name), 'mine');
      const before = namesIn(taken);
      expectRefused(await curtail(taken, ['restore', sound]), reason);
      expect(namesIn(taken)).toEqual(before);
      rmSync(taken, { recursive: true });
    }
  });

  describeOnSmallDisk('on a full disk', () => {
    it.each(['backup', 'backup.tar'])('leaves no files of a %s', async (name) => {
      const disk = SmallDisk.mount(below('disk'), 1);
      try {
        disk.fill();
        const end = await curtail(dataDir, ['backup', join(disk.path, name)]);
        expectRefused(end, 'ENOSPC');
        disk.clear();
        expect(namesIn(disk.path)).toEqual([]);
      } finally {
        disk.unmount();
      }
    });
  });
});
