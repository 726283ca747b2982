import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { aClickEvent } from '../../../test/support/shared/click-event';
import { ForgetfulDisk } from '../../../test/support/shared/forgetful-disk';
import { QuietLogger } from '../../../test/support/shared/quiet-logger';
import { decodeJournal } from './journal.format';
import { AT_STAKE_MS, type JournalSyncMode } from './journal.sync';
import { JournalWriter } from './journal.writer';

let disk: ForgetfulDisk;
let logger: QuietLogger;
let directory: string;
let answered: number[];
let writer: JournalWriter;

function write(sync: JournalSyncMode, more = {}): void {
  writer = new JournalWriter({ directory, logger, sync, files: disk, ...more });
}

function visit(at: number): void {
  writer.append(aClickEvent({ at }), () => answered.push(at));
}

/** Returns the clicks that a power failure at this moment would lose. */
function lost(clicks: readonly number[]): number[] {
  const found = new Set(survivors());
  return clicks.filter((at) => !found.has(at));
}

/** Returns the clicks that are on disk after a power failure at this moment. */
function survivors(): number[] {
  const found = [...disk.afterPowerLoss().values()].flatMap((bytes) => decodeJournal(bytes).events);
  return found.map(({ at }) => at).sort((a, b) => a - b);
}

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'curtail-sync-'));
  disk = new ForgetfulDisk();
  logger = new QuietLogger();
  answered = [];
});
afterEach(() => {
  writer.close();
  jest.useRealTimers();
  rmSync(directory, { recursive: true, force: true });
});

describe('JOURNAL_SYNC=always', () => {
  it.each([1, 2, 3, 4, 5])(
    'has stored all visits with a response, no matter when the power fails (%d)',
    async (seed) => {
      let state = seed;
      const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
      write('always', { sealBytes: 2000 });
      for (let at = 0; at < 120; at++) {
        visit(at);
        if (random(3) === 0) await turn();
        if (random(4) === 0) await disk.completeSyncs(1 + random(3));
        if (random(10) === 0) writer.seal();
        expect(lost(answered)).toEqual([]);
      }
      expect(answered.length).toBeGreaterThan(10);
    },
  );

  it('sends no response before the sync, and one sync is enough for many visits', async () => {
    write('always');
    visit(0);
    await turn();
    for (let at = 1; at < 50; at++) {
      visit(at);
      await turn();
    }
    expect(answered).toEqual([]);
    await disk.completeSyncs();
    expect(answered).toEqual([0]);
    await disk.completeSyncs();
    expect(answered).toHaveLength(50);
    expect(disk.syncs).toBe(2);
  });

  it('sends responses even if the disk cannot sync, and logs the failure once', async () => {
    write('always');
    disk.datasync = () => Promise.reject(Object.assign(new Error('no'), { code: 'EIO' }));
    for (let at = 0; at < 5; at++) {
      visit(at);
      await turn();
    }
    await disk.completeSyncs();
    await turn();
    await disk.completeSyncs();
    expect(answered).toHaveLength(5);
    expect(logger.linesAt('error')).toHaveLength(1);
  });

  it('sends responses while the disk hangs, and waits for syncs again after it recovers', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'performance'] });
    write('always');
    visit(0);
    await turn();
    visit(1);
    await turn();
    jest.advanceTimersByTime(1900);
    expect(answered).toEqual([]);
    jest.advanceTimersByTime(200);
    expect(answered).toEqual([0, 1]);
    visit(2);
    await turn();
    expect(answered).toEqual([0, 1, 2]);
    expect(logger.linesAt('error')).toHaveLength(1);
    await disk.completeSyncs();
    visit(3);
    await turn();
    expect(answered).toEqual([0, 1, 2]);
    await disk.completeSyncs();
    await disk.completeSyncs();
    expect(answered).toEqual([0, 1, 2, 3]);
  });
});

describe('JOURNAL_SYNC=interval', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  });

  it('responds immediately, and everything older than 250 ms is on disk', async () => {
    write('interval', { sealAfterMs: 90 });
    const step = 10;
    // A line written just after a sync has started must wait for this sync and the next.
    const syncMs = 110;
    let settleAt = Number.POSITIVE_INFINITY;
    let syncs = 0;
    for (let now = 0; now < 1500; now += step) {
      visit(now);
      await turn();
      expect(answered.at(-1)).toBe(now);
      jest.advanceTimersByTime(step);
      if (disk.syncs > syncs && settleAt === Number.POSITIVE_INFINITY) settleAt = now + syncMs;
      if (now >= settleAt) {
        await disk.completeSyncs();
        settleAt = Number.POSITIVE_INFINITY;
        syncs = disk.syncs;
      }
      const due = answered.filter((at) => at <= now - AT_STAKE_MS);
      expect(lost(due)).toEqual([]);
    }
    expect(disk.syncs).toBeLessThan(40);
    expect(disk.openDescriptors).toBeLessThan(5);
  });

  it('syncs nothing while there are no visits', async () => {
    write('interval');
    visit(1);
    await turn();
    jest.advanceTimersByTime(150);
    await disk.completeSyncs();
    const { syncs } = disk;
    jest.advanceTimersByTime(60_000);
    expect(disk.syncs).toBe(syncs);
    expect(survivors()).toEqual([1]);
  });

  it('syncs everything when the process ends', async () => {
    write('interval');
    visit(1);
    await turn();
    jest.advanceTimersByTime(150);
    await disk.completeSyncs();
    visit(2);
    await turn();
    writer.close();
    expect(survivors()).toEqual([1, 2]);
    expect(disk.openDescriptors).toBe(0);
  });

  it('closes every file once, after its sync', async () => {
    write('interval', { sealBytes: 500 });
    for (let at = 0; at < 30; at++) {
      visit(at);
      await turn();
    }
    expect(disk.openDescriptors).toBeGreaterThan(3);
    for (let i = 0; i < 3; i++) {
      jest.advanceTimersByTime(150);
      await disk.completeSyncs();
    }
    expect(disk.openDescriptors).toBeLessThan(2);
    expect(logger.linesAt('error')).toEqual([]);
  });
});

describe('JOURNAL_SYNC=never', () => {
  it('never syncs, so that a power failure loses what the system has not yet written', async () => {
    write('never');
    visit(1);
    await turn();
    writer.seal();
    expect(answered).toEqual([1]);
    expect(disk.syncs).toBe(0);
    expect(disk.openDescriptors).toBe(0);
    expect(survivors()).toEqual([]);
  });
});
