import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type Connection, mongo } from 'mongoose';
import { AuditRepository } from '../../../src/clicks/audit/audit.repository';
import { ClickAudit } from '../../../src/clicks/audit/click-audit';
import { encodeChunk } from '../../../src/engines/click-engine/chunk/chunk';
import { ClickStore } from '../../../src/clicks/store/click-store';
import { clickBatchEntry } from '../../../src/clicks/store/click-batch';
import { ClickStoreRepository } from '../../../src/clicks/store/click-store.repository';
import { LinksRepository } from '../../../src/stores/links/links.repository';
import { aStoredLink, storedLink } from '../../support/shared/stored-link';
import { clicksInChunks, storedClickStore } from '../../support/click-store-reading';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';
import { aClick } from '../../support/shared/click.factory';

const uri = testDatabaseUri();
let connection: Connection;
let id: string;
let key: { _id: mongo.ObjectId };

beforeAll(async () => {
  connection = await openTestDatabase(uri);
});
afterAll(() => dropTestDatabase(connection));
beforeEach(async () => {
  await connection.dropDatabase();
  id = await aStoredLink(connection);
  key = { _id: new mongo.ObjectId(id) };
  const store = new ClickStore(
    new ClickStoreRepository(connection),
    new LinksRepository(connection),
  );
  const record = (number: number, count: number): Promise<string[]> =>
    store.record({
      node: 'aaaa0001',
      number,
      entries: [
        clickBatchEntry(
          id,
          Array.from({ length: count }, (_, i) =>
            aClick({ at: 1000 * number + i, visitor: String(1 + i * number).padStart(24, '0') }),
          ),
        ),
      ],
    });
  await record(1, 3);
  await record(2, 900);
});

async function audit(repair = false): Promise<{ found: string[]; left: number }> {
  const found: string[] = [];
  const auditor = new ClickAudit(new AuditRepository(connection), {
    repair,
    settleMs: 0,
    report: ({ linkId, what }, repaired) => {
      expect(repaired).toBe(repair);
      found.push(`${linkId === id ? 'link' : linkId}: ${what}`);
    },
  });
  const { differences, repaired } = await auditor.run();
  return { found, left: differences - repaired };
}

async function namedThenRepaired(): Promise<string[]> {
  const { found } = await audit();
  expect((await audit(true)).found).toEqual(expect.arrayContaining(found));
  expect(await audit()).toEqual({ found: [], left: 0 });
  return found;
}

const stores = () => connection.collection('ledgers');
const blocks = () => connection.collection('click_blocks');

describe('The audit', () => {
  it('finds nothing in a consistent database', async () => {
    expect(await storedClickStore(connection, id)).toMatchObject({ total: 903, tail_n: 1 });
    expect(await blocks().countDocuments()).toBe(1);
    expect(await audit()).toEqual({ found: [], left: 0 });
  });

  it('reports and repairs wrong counters in a click store', async () => {
    const wrong = { total: 900, open: 1, first: new Date(5), tail_n: 7 };
    await stores().updateOne(key, { $set: wrong });
    const { found } = await audit();
    expect(found).toEqual([
      'link: click store total is 900, counted 903',
      'link: click store open is 1, counted 903',
      'link: click store first is 1970-01-01T00:00:00.005Z, counted 1970-01-01T00:00:01.000Z',
      'link: click store tail_n is 7, counted 1',
      'link: link total_clicks is 903, counted 900',
      'link: link open_clicks is 903, counted 1',
    ]);
    await audit(true);
    expect(await audit()).toEqual({ found: [], left: 0 });
    expect(await storedClickStore(connection, id)).toMatchObject({
      total: 903,
      first: new Date(1000),
    });
  });

  it('reports and repairs wrong counters in a link', async () => {
    await connection
      .collection('links')
      .updateOne(key, { $set: { total_clicks: 1000, open_clicks: 2, last_click: null } });
    expect(await namedThenRepaired()).toEqual([
      'link: link total_clicks is 1000, counted 903',
      'link: link open_clicks is 2, counted 903',
      'link: link last_click is null, counted 1970-01-01T00:00:02.899Z',
    ]);
    expect(await storedLink(connection, id)).toMatchObject({ total_clicks: 903 });
  });

  it('reports a missing block, and the repair counts the remaining clicks', async () => {
    const { _id } = (await blocks().findOne())!;
    await blocks().deleteOne({ _id });
    const found = await namedThenRepaired();
    expect(found).toContain(`link: block ${_id.toHexString()} with 900 clicks is missing`);
    expect(await storedLink(connection, id)).toMatchObject({ total_clicks: 3 });
    expect(await clicksInChunks(connection, id)).toBe(3);
  });

  it('reports a damaged chunk, and the repair saves its bytes', async () => {
    const data = encodeChunk([aClick()]);
    data[20] = data[20]! ^ 1;
    await stores().updateOne(key, {
      $push: { tail: { n: 1, from: new Date(), to: new Date(), data: new mongo.Binary(data) } },
    } as never);
    expect(await namedThenRepaired()).toContain('link: inline chunk 1 with 1 click is damaged');
    expect(await connection.collection('damaged_chunks').countDocuments()).toBe(1);
    expect(await clicksInChunks(connection, id)).toBe(903);
  });

  it('ignores data from a later release', async () => {
    const data = encodeChunk([aClick()]);
    data[0] = 9;
    await stores().updateOne(key, {
      $push: { tail: { n: 1, from: new Date(), to: new Date(), data: new mongo.Binary(data) } },
    } as never);
    const before = await storedClickStore(connection, id);
    const said: string[] = [];
    const report = ({ what }: { what: string }, repaired: boolean) =>
      said.push(`${what} ${repaired}`);
    const options = { repair: true, settleMs: 0, report };
    const { differences, repaired } = await new ClickAudit(
      new AuditRepository(connection),
      options,
    ).run();
    expect([differences, repaired]).toEqual([1, 0]);
    expect(said).toEqual([expect.stringMatching(/chunk has format 9.* false$/)]);
    expect(await storedClickStore(connection, id)).toEqual(before);
    expect(await connection.collection('damaged_chunks').countDocuments()).toBe(0);
  });

  it('reports and removes a store without a link and an old block without a click store', async () => {
    const orphan = new mongo.ObjectId();
    const store = (await stores().findOne(key))!;
    await stores().insertOne({ ...store, _id: orphan, total: 9, blocks: [] });
    const old = mongo.ObjectId.createFromTime(1000);
    await blocks().insertOne({ _id: old, link: key._id, n: 1, data: new mongo.Binary() });
    expect(await namedThenRepaired()).toEqual([
      `${orphan.toHexString()}: the link does not exist, its click store has 9 clicks`,
      `link: block ${old.toHexString()} belongs to no click store`,
    ]);
  });

  it('is a program that exits with 1 if there are differences', async () => {
    const verify = (...args: string[]) => {
      const script = join(__dirname, '../../../dist/program/cli/verify.js');
      const env = { PATH: process.env.PATH, MONGODB_URI: uri, JWT_SECRET: 'a secret of the tests' };
      const { status, stdout } = spawnSync(process.execPath, [script, ...args], { env });
      return { status, last: stdout.toString().trim().split('\n').at(-1) };
    };
    await connection.collection('links').updateOne(key, { $set: { total_clicks: 1 } });
    const clicks = 'verify: 1 link, 903 clicks';
    expect(verify()).toEqual({ status: 1, last: `${clicks}, 1 difference, 0 repaired` });
    expect(verify('--repair')).toEqual({ status: 0, last: `${clicks}, 1 difference, 1 repaired` });
    expect(verify()).toEqual({ status: 0, last: `${clicks}, 0 differences, 0 repaired` });
  });
});
