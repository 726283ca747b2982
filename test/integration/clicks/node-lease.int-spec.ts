import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import mongoose, { type Connection } from 'mongoose';
import { ClicksStoredEvents } from '../../../src/clicks/clicks-stored';
import { JournalReader } from '../../../src/clicks/journal/journal.reader';
import { JournalWriter } from '../../../src/clicks/journal/journal.writer';
import { encodeClickEvent, JOURNAL_HEADER } from '../../../src/clicks/journal/journal.format';
import { BatchRecorder } from '../../../src/clicks/recorder/batch.recorder';
import { NodeLease } from '../../../src/clicks/recorder/node-lease';
import { NodeLeaseRepository } from '../../../src/clicks/recorder/node-lease.repository';
import { PendingBatches } from '../../../src/clicks/recorder/pending-batch';
import { recorderContext } from '../../../src/clicks/recorder/recorder-context';
import { GeoReader } from '../../../src/infrastructure/geoip/geo.reader';
import { clicksInChunks } from '../../support/click-store-reading';
import { eventually } from '../../support/shared/eventually';
import { aClickEvent } from '../../support/shared/click-event';
import { aStoredLink } from '../../support/shared/stored-link';
import { QuietLogger } from '../../support/shared/quiet-logger';
import {
  dropTestDatabase,
  openTestDatabase,
  testDatabaseUri,
  TestMongo,
} from '../../support/test-database';

const uri = testDatabaseUri();
/** Watch time, long enough to detect a living holder on a busy machine. */
const times = { leaseMs: 20_000, renewalMs: 10, lookMs: 25 };
/** Watch time for a copy whose original does not renew the lease. */
const impatient = { ...times, leaseMs: 100 };
let connection: Connection;
let root: string;
let log: QuietLogger;
let leases: NodeLease[];

beforeAll(async () => {
  connection = await openTestDatabase(uri);
});
afterAll(async () => {
  await dropTestDatabase(connection);
  await mongoose.disconnect();
});
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'curtail-lease-'));
  log = new QuietLogger();
  leases = [];
});
afterEach(async () => {
  for (const lease of leases) await lease.release();
  rmSync(root, { recursive: true, force: true });
});

const folder = (name: string): string => path.join(root, name);
const storedName = (name: string): string =>
  readFileSync(path.join(folder(name), 'node-id'), 'utf8').trim();

function lease(name: string, own = times): NodeLease {
  const repository = new NodeLeaseRepository(connection);
  const made = new NodeLease({ dataDir: folder(name), repository, log, times: own });
  leases.push(made);
  return made;
}

async function original(own = times): Promise<NodeLease> {
  mkdtempSync(folder('x'));
  cpSync(mkdtempSync(folder('empty')), folder('a'), { recursive: true });
  const made = lease('a', own);
  expect(await made.acquire()).toBe('own');
  return made;
}

const copy = (): void => cpSync(folder('a'), folder('b'), { recursive: true });
/** A node that renews its lease too rarely, so that it is presumed dead. */
const dead = { ...times, renewalMs: 60_000 };

describe('The name of a recording node', () => {
  it('stays the same after restarts in the same folder, even right after a crash', async () => {
    const { name } = await original(dead);
    const next = lease('a');
    expect(await next.acquire()).toBe('own');
    expect(next.name).toBe(name);
    expect(log.linesAt('warn')).toEqual([]);
  });

  it('belongs to the first node if a copy of DATA_DIR starts at the same time', async () => {
    const first = await original();
    copy();
    const second = lease('b');
    expect(await second.acquire()).toBe('copied');
    expect(second.name).not.toBe(first.name);
    expect([storedName('a'), storedName('b')]).toEqual([first.name, second.name]);
    expect(log.linesAt('warn')).toHaveLength(1);
    const third = lease('b');
    await third.acquire();
    expect(third.name).toBe(second.name);
  });

  it('changes for the copy of a dead node, and the node does not use that name when it returns', async () => {
    const first = await original(dead);
    copy();
    const second = lease('b', impatient);
    expect(await second.acquire()).toBe('own');
    expect(second.name).not.toBe(first.name);
    const back = lease('a');
    await back.acquire();
    expect(back.name).not.toBe(second.name);
  });

  it('changes if the node was presumed dead', async () => {
    const slow = await original({ ...times, renewalMs: 4000 });
    const { name } = slow;
    copy();
    const second = lease('b', impatient);
    await second.acquire();
    await eventually(() => slow.name !== name);
    expect(new Set([name, slow.name, second.name]).size).toBe(3);
    expect(log.linesAt('error')).toHaveLength(1);
  });

  it('moves with DATA_DIR if it was released', async () => {
    const first = await original();
    await first.release();
    copy();
    const second = lease('b');
    expect(await second.acquire()).toBe('own');
    expect(second.name).toBe(first.name);
  });
});

describe('A copied DATA_DIR', () => {
  let geo: GeoReader;
  beforeAll(() => {
    geo = GeoReader.open();
  });

  function recorder(name: string): BatchRecorder {
    const dataDir = folder(name);
    const journal = new JournalReader(path.join(dataDir, 'journal'), log);
    const context = recorderContext({
      mongo: new TestMongo(uri),
      clickHouse: null,
      geo,
      visitorSecret: 'a visitor secret of the tests',
      stored: new ClicksStoredEvents(log),
      dataDir,
      journal,
      log,
      lease: times,
    });
    return new BatchRecorder({
      journal,
      pendingBatches: new PendingBatches(dataDir, log),
      context,
      log,
    });
  }

  it('on a second machine loses and duplicates no click', async () => {
    const link = await aStoredLink(connection);
    const visit = (name: string, count: number): void => {
      const directory = path.join(folder(name), 'journal');
      const writer = new JournalWriter({ directory, logger: log });
      for (let i = 0; i < count; i++) {
        writer.append(aClickEvent({ linkId: link, at: 1000 + i }), () => undefined);
      }
      writer.close();
    };
    visit('a', 3);
    const first = recorder('a');
    await first.recordNext();
    // Written on the first machine and copied before it was recorded.
    const waiting = `4194399..${'ab'.repeat(6)}-000001.sealed`;
    writeFileSync(
      path.join(folder('a'), 'journal', waiting),
      JOURNAL_HEADER + encodeClickEvent(aClickEvent({ linkId: link, at: 5000 })),
    );
    copy();
    visit('b', 5);
    const second = recorder('b');
    // If its clock were behind, the same node name would get lower numbers.
    jest.spyOn(Date, 'now').mockReturnValue(1_600_000_000_000);
    while (await second.recordNext());
    jest.restoreAllMocks();
    while (await first.recordNext());
    visit('a', 7);
    while (await first.recordNext());
    expect(await clicksInChunks(connection, link)).toBe(3 + 1 + 5 + 7);
    expect(readdirSync(path.join(folder('b'), 'journal', 'quarantine'))).toEqual([waiting]);
    await Promise.all([first.release(), second.release()]);
  });
});
