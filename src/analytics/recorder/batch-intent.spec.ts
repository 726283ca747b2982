import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QuietLogger } from '../../../test/support/quiet-logger';
import { BatchIntents } from './batch-intent';

const NOON = Date.UTC(2026, 10, 21, 12);
const HOUR = 3_600_000;

describe('BatchIntents', () => {
  let dataDir: string;
  let log: QuietLogger;
  let clock: jest.SpiedFunction<typeof Date.now>;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'curtail-intent-'));
    log = new QuietLogger();
    clock = jest.spyOn(Date, 'now').mockReturnValue(NOON);
  });
  afterEach(() => {
    clock.mockRestore();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('numbers batches upwards although the clock is set back, also over a restart', async () => {
    const intents = new BatchIntents(dataDir, log);
    const first = await intents.begin(['a.sealed']);
    clock.mockReturnValue(NOON - HOUR);
    const second = await intents.begin(['b.sealed']);
    const restarted = new BatchIntents(dataDir, log);
    expect(await restarted.resume()).toEqual(second);
    const third = await restarted.begin(['c.sealed']);
    expect([first, second, third].map(({ number }) => number)).toEqual([NOON, NOON + 1, NOON + 2]);
  });

  it('begins anew, and says so, when its file is damaged or leads elsewhere', async () => {
    const file = join(dataDir, 'recorder.json');
    for (const damage of ['{"number":', '{"number":5,"files":["../secret.sealed"]}', 'null']) {
      writeFileSync(file, damage);
      expect(await new BatchIntents(dataDir, log).resume()).toBeUndefined();
    }
    expect(log.of('error')).toHaveLength(3);
    await new BatchIntents(dataDir, log).begin(['a.sealed']);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ number: NOON, files: ['a.sealed'] });
  });
});
