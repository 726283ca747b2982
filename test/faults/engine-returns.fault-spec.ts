import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expectExact } from '../support/exact-clicks';
import { aLink } from '../support/factories/links';
import { SeededRandom } from '../support/fuzz/seeded-random';
import { becomes } from '../support/health';
import { enginePid } from '../support/processes';
import { eventually, startService, type Service } from '../support/service';
import { Traffic } from '../support/traffic';

const PRELOAD = join(__dirname, '../support/processes/quick-restarts.cjs');
/** `ENGINE_KILLS=100` for a long run. */
const KILLS = Number(process.env.ENGINE_KILLS ?? 20);
const SEED = 31;
/** Limits the number of visits. */
const PAUSE_MS = 10;
const UP_AGAIN = '"The engine process is back up"';
/** An engine starts within this time, so that later kills hit a running engine. */
const OPENING_MS = 400;
jest.setTimeout(600_000);

interface LogLine {
  msg: string;
  waitMs?: number;
  stepsMs?: Record<string, number>;
}

describe('a database engine that is killed repeatedly, even while it opens', () => {
  let service: Service;
  let traffic: Traffic;
  afterEach(async () => {
    await traffic.stop();
    await service.stop();
  });

  it('returns each time without a longer wait, and loses no click and no link', async () => {
    const random = new SeededRandom(SEED);
    const env = { NODE_OPTIONS: `--require ${PRELOAD}` };
    service = await startService({ embedded: true, env });
    traffic = new Traffic(service.port, await aLink(service), 4, PAUSE_MS);
    let [last, seen] = [0, 0];
    for (let kills = 0; kills < KILLS; kills += 1) {
      last = await nextEngine(last);
      if (random.chance(0.5)) await isBack(kills, seen);
      await sleep(random.below(OPENING_MS));
      seen = returns();
      kill(last);
    }
    await nextEngine(last);
    await isBack(KILLS, seen);
    await traffic.moreRedirects(50);
    await expectExact(service, traffic);
    expect(returns()).toBeGreaterThan(KILLS / 4);
    // The preloaded file shortens waits.
    const waits = service.log().matchAll(/The engine process ended .*; restarting it in (\d+) ms/g);
    expect(new Set(Array.from(waits, ([, ms]) => ms))).toEqual(new Set(['100']));
    for (const line of service.log().split('\n')) {
      if (!line.includes(UP_AGAIN)) continue;
      const { waitMs, stepsMs } = JSON.parse(line) as LogLine;
      expect(waitMs).toBeGreaterThanOrEqual(100);
      expect(Object.keys(stepsMs ?? {})).toEqual(
        expect.arrayContaining(['process', 'opening the database', 'first ping']),
      );
    }
  });

  async function nextEngine(before: number): Promise<number> {
    let pid = before;
    await eventually(`another engine than process ${before}`, () => {
      try {
        pid = enginePid(service);
      } catch {
        // No engine is running yet.
      }
      return pid !== before;
    });
    return pid;
  }

  /** @param seen returns before the kill, because /health may still report the earlier state */
  async function isBack(kills: number, seen: number): Promise<void> {
    try {
      await eventually('the engine is up', () => kills === 0 || returns() > seen);
      await becomes(service, 'healthy');
    } catch (error) {
      throw new Error(`Not back after ${kills} kills (seed ${SEED}):\n${service.log()}`, {
        cause: error,
      });
    }
  }

  const returns = (): number => service.log().split(UP_AGAIN).length - 1;
});

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended.
  }
}
