import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QuietLogger } from '../../../test/support/shared/quiet-logger';
import { PendingBatches, SLOT_BYTES } from './pending-batch';

const NOON = Date.UTC(2026, 10, 21, 12);
const HOUR = 3_600_000;

describe('PendingBatches', () => {
  let dataDir: string;
  let log: QuietLogger;
  let clock: jest.SpiedFunction<typeof Date.now>;
  const file = () => join(dataDir, 'recorder-intents');
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'curtail-batch-'));
    log = new QuietLogger();
    clock = jest.spyOn(Date, 'now').mockReturnValue(NOON);
  });
  afterEach(() => {
    clock.mockRestore();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('always uses increasing batch numbers, even if the clock is set back or after a restart', async () => {
    const batches = new PendingBatches(dataDir, log);
    const first = await batches.begin(['a.sealed'], 'a1b2c3d4');
    clock.mockReturnValue(NOON - HOUR);
    const second = await batches.begin(['b.sealed'], 'a1b2c3d4');
    const restarted = new PendingBatches(dataDir, log);
    expect(await restarted.resume()).toEqual(second);
    const third = await restarted.begin(['c.sealed'], 'a1b2c3d4');
    expect([first, second, third].map(({ number }) => number)).toEqual([NOON, NOON + 1, NOON + 2]);
  });

  it('warns once about clicks in the future, even after a restart', async () => {
    const batches = new PendingBatches(dataDir, log);
    await batches.begin(['a.sealed'], 'a1b2c3d4');
    clock.mockReturnValue(NOON - 4000);
    await batches.begin(['b.sealed'], 'a1b2c3d4');
    expect(log.linesAt('warn')).toEqual([]);
    clock.mockReturnValue(NOON - HOUR);
    for (const file of ['c', 'd']) await batches.begin([`${file}.sealed`], 'a1b2c3d4');
    expect(log.linesAt('warn')).toEqual([
      expect.objectContaining({
        message: expect.stringContaining("have timestamps ahead of this machine's clock") as string,
        extra: { aheadSeconds: HOUR / 1000 },
      }),
    ]);
    const restarted = new PendingBatches(dataDir, log);
    await restarted.resume();
    await restarted.begin(['e.sealed'], 'a1b2c3d4');
    expect(log.linesAt('warn')).toHaveLength(2);
  });

  it('overwrites its file in place, without growing or replacing it', async () => {
    const batches = new PendingBatches(dataDir, log);
    await batches.resume();
    const { ino, size, blocks } = statSync(file());
    expect(size).toBe(2 * SLOT_BYTES);
    expect(blocks * 512).toBeGreaterThanOrEqual(size);
    const many = Array.from({ length: 2000 }, (_, i) => `1234567.1234567890.${i}-000001.sealed`);
    for (const files of [['a.sealed'], many, ['b.sealed'], ['c.sealed']]) {
      expect((await batches.begin(files, 'a1b2c3d4')).files).toEqual(files);
      expect((await new PendingBatches(dataDir, log).resume())?.files).toEqual(files);
    }
    expect(statSync(file())).toMatchObject({ ino, size });
    expect(readdirSync(dataDir)).toEqual(['recorder-intents']);
    expect(log.linesAt('error')).toEqual([]);
  });

  it('includes as many files as fit', async () => {
    const batches = new PendingBatches(dataDir, log);
    const files = Array.from({ length: 3000 }, (_, i) => `${'x'.repeat(200)}-${i}.sealed`);
    const batch = await batches.begin(files, 'a1b2c3d4');
    expect(batch.files.length).toBeGreaterThan(500);
    expect(batch.files).toEqual(files.slice(0, batch.files.length));
    expect(await new PendingBatches(dataDir, log).resume()).toEqual(batch);
  });

  it('returns the previous batch if a crash interrupts the last write, at any byte', async () => {
    const batches = new PendingBatches(dataDir, log);
    await batches.begin(['a.sealed'], 'a1b2c3d4');
    const before = await batches.begin(['b.sealed'], 'a1b2c3d4');
    const old = readFileSync(file());
    const after = await batches.begin(['c.sealed', 'd.sealed'], 'a1b2c3d4');
    const fresh = readFileSync(file());
    const start = fresh.findIndex((byte, i) => byte !== old[i]);
    const end = fresh.indexOf('\n', start);
    for (let cut = start; cut <= end; cut++) {
      writeFileSync(file(), Buffer.concat([fresh.subarray(0, cut), old.subarray(cut)]));
      expect(await new PendingBatches(dataDir, log).resume()).toEqual(before);
    }
    writeFileSync(file(), fresh);
    expect(await new PendingBatches(dataDir, log).resume()).toEqual(after);
  });

  it('starts again and logs it if its file is damaged or missing', async () => {
    writeFileSync(file(), 'nothing of ours\n');
    const batches = new PendingBatches(dataDir, log);
    expect(await batches.resume()).toBeUndefined();
    expect(log.linesAt('error')).toHaveLength(1);
    await batches.begin(['a.sealed'], 'a1b2c3d4');
    rmSync(file());
    await expect(batches.begin(['b.sealed'], 'a1b2c3d4')).rejects.toThrow('ENOENT');
    const batch = await batches.begin(['b.sealed'], 'a1b2c3d4');
    expect(await new PendingBatches(dataDir, log).resume()).toEqual(batch);
  });
});
