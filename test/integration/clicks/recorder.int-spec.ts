import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import mongoose, { type Connection } from 'mongoose';
import { PendingBatches } from '../../../src/clicks/recorder/pending-batch';
import { BatchRecorder, type RecorderContext } from '../../../src/clicks/recorder/batch.recorder';
import { Recorder } from '../../../src/clicks/recorder/recorder';
import { DrainTimeoutError } from '../../../src/clicks/clicks.errors';
import { RecordingPause } from '../../../src/clicks/recorder/recording-pause';
import { recorderContext } from '../../../src/clicks/recorder/recorder-context';
import { type ClicksStored, ClicksStoredEvents } from '../../../src/clicks/clicks-stored';
import type { ClickEvent } from '../../../src/clicks/click-event';
import { GeoReader } from '../../../src/infrastructure/geoip/geo.reader';
import { encodeClickEvent, JOURNAL_HEADER } from '../../../src/clicks/journal/journal.format';
import { JournalReader } from '../../../src/clicks/journal/journal.reader';
import { JournalWriter } from '../../../src/clicks/journal/journal.writer';
import { aStoredLink, storedLink } from '../../support/shared/stored-link';
import { aClickEvent } from '../../support/shared/click-event';
import { clicksInChunks, storedClickStore } from '../../support/click-store-reading';
import { eventually } from '../../support/shared/eventually';
import { QuietLogger } from '../../support/shared/quiet-logger';
import {
  dropTestDatabase,
  openTestDatabase,
  testDatabaseUri,
  TestMongo,
} from '../../support/test-database';

const uri = testDatabaseUri();
let connection: Connection;
let geo: GeoReader;
let dataDir: string;
let journalDir: string;
let log: QuietLogger;

beforeAll(async () => {
  connection = await openTestDatabase(uri);
  geo = GeoReader.open();
});
afterAll(async () => {
  await dropTestDatabase(connection);
  // In production, these connections end with the recorder process.
  await mongoose.disconnect();
});
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'curtail-recorder-'));
  journalDir = path.join(dataDir, 'journal');
  log = new QuietLogger();
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

function journalled(visits: ClickEvent[]): void {
  const writer = new JournalWriter({ directory: journalDir, logger: log });
  for (const visit of visits) writer.append(visit, () => undefined);
  writer.close();
}

const visitsTo = (linkId: string, count: number, changes: Partial<ClickEvent> = {}) =>
  Array.from({ length: count }, (_, i) => aClickEvent({ linkId, at: 1000 + i, ...changes }));
const waiting = () => readdirSync(journalDir).filter((name) => name !== 'quarantine');
const quarantined = () => readdirSync(path.join(journalDir, 'quarantine'));

interface Parts {
  journal: JournalReader;
  batches: BatchRecorder;
  recorder: Recorder;
  stored: ClicksStoredEvents;
}

function startUp(
  change: (context: RecorderContext) => RecorderContext = (context) => context,
): Parts {
  const journal = new JournalReader(journalDir, log);
  const pendingBatches = new PendingBatches(dataDir, log);
  const stored = new ClicksStoredEvents(log);
  const open = recorderContext({
    mongo: new TestMongo(uri),
    clickHouse: null,
    geo,
    visitorSecret: 'a visitor secret of the tests',
    stored,
    dataDir,
    journal,
    log,
    lease: null,
  });
  const context = async () => change(await open());
  const pause = new RecordingPause(dataDir);
  const batches = new BatchRecorder({
    journal,
    pendingBatches,
    context,
    log,
  });
  return { journal, batches, recorder: new Recorder(batches, journal, log, stored, pause), stored };
}

async function expectClicks(link: string, count: number): Promise<void> {
  expect(await clicksInChunks(connection, link)).toBe(count);
  expect((await storedLink(connection, link)).total_clicks).toBe(count);
}

describe('The recorder', () => {
  it('converts the journal to clicks and empties it', async () => {
    const [a, b] = [await aStoredLink(connection), await aStoredLink(connection)];
    journalled([...visitsTo(a, 5), ...visitsTo(b, 3, { slot: true })]);
    const { recorder } = startUp();
    recorder.start();
    await recorder.drain(30_000);
    await expectClicks(a, 5);
    await expectClicks(b, 3);
    expect((await storedLink(connection, b)).open_clicks).toBe(0);
    expect(waiting()).toEqual([]);
    expect(await recorder.status()).toMatchObject({
      files: 0,
      bytes: 0,
      oldestMs: null,
      lastBatchSize: 8,
    });
    await recorder.stop();
  });

  it('syncs the removal of recorded files before it begins the next batch', async () => {
    const link = await aStoredLink(connection);
    const { journal, recorder, batches } = startUp();
    const steps: string[] = [];
    const sync = journal.sync.bind(journal);
    const remove = journal.remove.bind(journal);
    let refusals = 1;
    journal.sync = async () => {
      steps.push('sync');
      if (refusals-- > 0) throw new Error('the folder cannot be synced');
      await sync();
    };
    journal.remove = async (name) => {
      steps.push('remove');
      await remove(name);
    };
    const begin = jest.spyOn(PendingBatches.prototype, 'begin').mockClear();
    begin.mockImplementation(function (this: PendingBatches, files, node) {
      steps.push('begin');
      begin.mockRestore();
      return this.begin(files, node);
    });
    journalled(visitsTo(link, 2));
    await expect(batches.recordNext()).rejects.toThrow('cannot be synced');
    await batches.recordNext();
    expect(steps).toEqual(['sync', 'sync', 'begin', 'remove']);
    journalled(visitsTo(link, 3));
    await batches.recordNext();
    expect(steps.slice(4)).toEqual(['sync', 'remove']);
    await expectClicks(link, 5);
    await recorder.stop();
  });

  it('counts a batch that is repeated after a crash once in its day', async () => {
    const link = await aStoredLink(connection);
    const at = Date.UTC(2001, 1, 3);
    journalled([...visitsTo(link, 4, { at: at + 5 }), ...visitsTo(link, 1, { at: at - 1 })]);
    const { journal, batches } = startUp();
    journal.remove = () => Promise.reject(new Error('killed'));
    await expect(batches.recordNext()).rejects.toThrow('killed');
    await startUp().batches.recordNext();
    await expectClicks(link, 5);
    const days = connection.collection<{ _id: Date; n: number }>('click_days');
    const counts = [at, at - 86_400_000].map(async (day) => days.findOne({ _id: new Date(day) }));
    expect(await Promise.all(counts)).toMatchObject([{ n: 4 }, { n: 1 }]);
  });

  it('reports its backlog', async () => {
    journalled(visitsTo(await aStoredLink(connection), 2));
    const status = await startUp().recorder.status();
    expect(status).toMatchObject({ files: 1, lastBatchSize: 0, lastBatchMs: 0 });
    expect(status.bytes).toBeGreaterThan(400);
    expect(status.oldestMs).toBeGreaterThanOrEqual(0);
  });

  it('keeps damaged data in quarantine and records the other data', async () => {
    const link = await aStoredLink(connection);
    journalled(visitsTo(link, 2));
    const poisoned = JSON.stringify([1, 'no link id', '', '', '', '', 1, 0]);
    const content = [
      JOURNAL_HEADER,
      encodeClickEvent(aClickEvent({ linkId: link })),
      `${crc32(poisoned).toString(16).padStart(8, '0')} ${poisoned}\n`,
      '\0\0\0 garbage\n',
      encodeClickEvent(aClickEvent({ linkId: link })),
      encodeClickEvent(aClickEvent({ linkId: link })).slice(0, 50),
    ].join('');
    const name = `4194399..${'ab'.repeat(6)}-000001.open`;
    writeFileSync(path.join(journalDir, name), content);
    const { recorder } = startUp();
    recorder.start();
    await recorder.drain(30_000);
    await recorder.stop();
    await expectClicks(link, 4);
    expect(waiting()).toEqual([]);
    expect(quarantined()).toEqual([name]);
  });

  it('keeps a file of a later version and still empties the journal', async () => {
    journalled([]);
    const name = `1..${'ab'.repeat(6)}-000001.sealed`;
    journalled(visitsTo(await aStoredLink(connection), 1));
    writeFileSync(path.join(journalDir, name), 'curtail-journal 3\nwhatever\n');
    const { recorder } = startUp();
    recorder.start();
    await recorder.drain(30_000);
    await recorder.stop();
    expect(waiting()).toEqual([name]);
  });

  it('waits for an unavailable database without losing or repeating clicks', async () => {
    const link = await aStoredLink(connection);
    journalled(visitsTo(link, 4));
    let failures = 3;
    const { recorder } = startUp((context) => {
      if (failures-- > 0) throw new Error('The database is down');
      return context;
    });
    recorder.start();
    await recorder.drain(30_000);
    await recorder.stop();
    await expectClicks(link, 4);
    expect(log.linesAt('error')).toHaveLength(1);
    expect(log.linesAt('info')).toHaveLength(1);
  });

  it('reports that the journal could not be emptied in time', async () => {
    journalled(visitsTo(await aStoredLink(connection), 1));
    const { recorder } = startUp(() => {
      throw new Error('The database is down');
    });
    recorder.start();
    await expect(recorder.drain(100)).rejects.toThrow(DrainTimeoutError);
    await recorder.stop();
    expect(waiting()).toHaveLength(1);
  });

  it('leaves no data of visits to a deleted link', async () => {
    journalled(visitsTo('e'.repeat(24), 3));
    const { recorder } = startUp();
    recorder.start();
    await recorder.drain(30_000);
    await recorder.stop();
    expect(await storedClickStore(connection, 'e'.repeat(24))).toBeNull();
    expect(waiting()).toEqual([]);
  });

  it("notifies listeners of a batch's clicks after the database has stored them", async () => {
    const link = await aStoredLink(connection);
    journalled(visitsTo(link, 2));
    const { batches, stored } = startUp();
    const heard = new Promise<[ClicksStored, number]>((resolve) => {
      stored.subscribe({
        name: 'test',
        onClicksStored: async (event) => {
          resolve([event, (await storedLink(connection, link)).total_clicks]);
        },
      });
    });
    await batches.recordNext();
    const [event, total] = await heard;
    expect(total).toBe(2);
    expect(event).toMatchObject({
      batch: { node: expect.stringMatching(/^[0-9a-f]{8}$/) as string },
      clicks: 2,
    });
    expect([...event.links]).toEqual([[link, 2]]);
  });

  it('continues to record if a listener never ends or fails', async () => {
    const link = await aStoredLink(connection);
    journalled(visitsTo(link, 2));
    const { recorder, stored } = startUp();
    stored.subscribe({ name: 'hanging', onClicksStored: () => new Promise<void>(() => undefined) });
    stored.subscribe({ name: 'failing', onClicksStored: () => Promise.reject(new Error('no')) });
    recorder.start();
    await recorder.drain(30_000);
    journalled(visitsTo(link, 3));
    await recorder.drain(30_000);
    await recorder.stop();
    await expectClicks(link, 5);
  });

  it('compacts a link that has become too large, while it records', async () => {
    const link = await aStoredLink(connection);
    const { batches } = startUp();
    for (let batch = 0; batch < 34; batch += 1) {
      journalled(visitsTo(link, 1));
      await batches.recordNext();
    }
    await eventually(async () => {
      const store = await storedClickStore(connection, link);
      return store?.blocks.length === 1;
    });
    await expectClicks(link, 34);
  });
});

describe('A recorder that is killed', () => {
  const kill = () => {
    throw new Error('killed');
  };

  it('before recording starts the same batch again', async () => {
    const link = await aStoredLink(connection);
    journalled(visitsTo(link, 3));
    const first = startUp((context) => {
      context.store.record = kill;
      return context;
    });
    await expect(first.batches.recordNext()).rejects.toThrow('killed');
    journalled(visitsTo(link, 2));
    const { batches } = startUp();
    expect(await batches.recordNext()).toBe(true);
    await expectClicks(link, 3);
    expect(await batches.recordNext()).toBe(true);
    await expectClicks(link, 5);
    expect(await batches.recordNext()).toBe(false);
  });

  it('after recording everything, with no file removed, counts no click twice', async () => {
    const link = await aStoredLink(connection);
    journalled(visitsTo(link, 3));
    const first = startUp();
    first.journal.remove = kill;
    await expect(first.batches.recordNext()).rejects.toThrow('killed');
    await expectClicks(link, 3);
    const { recorder } = startUp();
    recorder.start();
    await recorder.drain(30_000);
    await recorder.stop();
    await expectClicks(link, 3);
    expect(waiting()).toEqual([]);
  });

  it('between the removal of two files counts no click twice', async () => {
    const link = await aStoredLink(connection);
    for (let i = 0; i < 3; i++) journalled(visitsTo(link, 2));
    const first = startUp();
    const remove = first.journal.remove.bind(first.journal);
    let removed = 0;
    first.journal.remove = async (name) => {
      if (removed++ === 1) kill();
      await remove(name);
    };
    await expect(first.batches.recordNext()).rejects.toThrow('killed');
    expect(waiting()).toHaveLength(2);
    journalled(visitsTo(link, 1));
    const { recorder } = startUp();
    recorder.start();
    await recorder.drain(30_000);
    await recorder.stop();
    await expectClicks(link, 7);
  });

  it('and loses its pending batches never reuses a batch number', async () => {
    const link = await aStoredLink(connection);
    for (let i = 0; i < 3; i++) {
      journalled(visitsTo(link, 2));
      await startUp().batches.recordNext();
      writeFileSync(path.join(dataDir, 'recorder-intents'), i === 0 ? 'torn' : '');
    }
    await expectClicks(link, 6);
  });
});
