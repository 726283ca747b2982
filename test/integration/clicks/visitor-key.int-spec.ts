import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connection } from 'mongoose';
import { VisitorKeyError } from '../../../src/clicks/clicks.errors';
import { VisitorKeyRepository } from '../../../src/clicks/recorder/visitor-key.repository';
import { clicksOfColumns } from '../../support/shared/clicks-of-columns';
import { decodeChunk } from '../../../src/engines/click-engine/chunk/chunk';
import { binaryBytes } from '../../../src/clicks/store/click-store.schema';
import { aLink } from '../../support/factories/links';
import { visit } from '../../support/http';
import { storedClickStore } from '../../support/click-store-reading';
import { journalEmpty } from '../../support/exact-clicks';
import { eventually, startService } from '../../support/service';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';

const SECRET = 'the outer half, which no database ever sees';

interface Setting {
  _id: string;
  value: string;
  check?: string;
}

describe('The visitor key', () => {
  let connection: Connection;
  let keys: VisitorKeyRepository;
  const settings = () => connection.collection<Setting>('settings');
  const stored = () => settings().findOne({ _id: 'visitor_key' });
  beforeAll(async () => {
    connection = await openTestDatabase(testDatabaseUri());
    keys = new VisitorKeyRepository(connection);
  });
  beforeEach(() => settings().deleteMany({}));
  afterAll(() => dropTestDatabase(connection));

  it('is the same for every service with the secret, and is not stored in the database', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => keys.findOrMake(SECRET)));
    expect(new Set(all.map((key) => key.toString('hex'))).size).toBe(1);
    expect(all[0]).toHaveLength(32);
    expect(await keys.findOrMake(SECRET)).toEqual(all[0]);
    const setting = await stored();
    expect(JSON.stringify(setting)).not.toContain(all[0]!.toString('hex'));
    expect(JSON.stringify(setting)).not.toContain(SECRET);
  });

  it('is not returned for a different secret, and the stored part stays unchanged', async () => {
    const key = await keys.findOrMake(SECRET);
    const before = await stored();
    await expect(keys.findOrMake(`${SECRET}!`)).rejects.toThrow(VisitorKeyError);
    expect(await stored()).toEqual(before);
    expect(await keys.findOrMake(SECRET)).toEqual(key);
  });
});

describe('A service and its visitor key', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'curtail-key-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('stores one part in a file, stops recording if the file is lost, and continues afterwards', async () => {
    const uri = testDatabaseUri();
    const connection = await openTestDatabase(uri);
    const file = join(dataDir, 'visitor-key');
    const generated = { dataDir, mongoUri: uri, env: { VISITOR_KEY: undefined } };
    let service = await startService(generated);
    const link = await aLink(service);
    const visitors = async () => {
      const store = await storedClickStore(connection, link.id);
      const chunks = (store?.tail ?? []).map(({ data }) => decodeChunk(binaryBytes(data)));
      return chunks.flatMap((chunk) => [...clicksOfColumns(chunk)].map((click) => click.visitor));
    };
    const somebody = { 'X-Forwarded-For': '203.0.113.9', 'User-Agent': 'one and the same' };
    await visit(service, link.alias, somebody);
    await eventually('the click is recorded', async () => (await visitors()).length === 1);
    const secret = readFileSync(file, 'utf8').trim();
    expect(secret.length).toBeGreaterThanOrEqual(32);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const settings = await connection.collection('settings').find().toArray();
    expect(JSON.stringify(settings)).not.toContain(secret);
    await service.stop();

    rmSync(file);
    service = await startService(generated);
    expect((await visit(service, link.alias, somebody)).status).toBe(302);
    await eventually('it says why', () => service.log().includes('VISITOR_KEY'));
    expect(service.log()).not.toContain(secret);
    expect(service.log()).not.toContain(readFileSync(file, 'utf8').trim());
    await service.stop();
    expect(await visitors()).toHaveLength(1);

    service = await startService({ ...generated, env: { VISITOR_KEY: secret } });
    await visit(service, link.alias, somebody);
    await eventually('all are recorded', async () => (await visitors()).length === 3);
    await journalEmpty(dataDir);
    expect(new Set(await visitors()).size).toBe(1);
    await service.stop();
    await dropTestDatabase(connection);
  });
});
