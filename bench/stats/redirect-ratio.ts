import { size } from '../support/flags';
import { median } from '../support/load';
import { childrenOf, pin } from '../support/pin';
import { drained, rounded } from '../support/report';
import type { Stage } from '../support/stage';
import { redirectRound, type Round } from '../support/wrk';
import type { BenchLink } from './recording';
import { type Asked, statsLoad } from './stats-load';

const ROUNDS = size('redirect-rounds', 5, 2);
const ROUND_MS = 3000;
/** Maximum throughput over 64 connections, and about 3,000 redirects a second. */
const LOADS = { saturated: 0, resting: 20 };

/**
 * Measures the p99 redirect latency, alternately with and without a constant load of statistics
 * queries. The queries are either all computed or all cached.
 */
export async function redirectRatio(stage: Stage, hot: BenchLink, links: number): Promise<object> {
  let clicks = await stage.storedClicks();
  const service = await stage.service();
  const { port } = service;
  const pid = service.process.pid ?? 0;
  const round = async (restMs: number, inTurn = false): Promise<Round> => {
    const found = await redirectRound({
      ...{ port, links, connections: 64, folder: stage.dir },
      ...{ ms: ROUND_MS, inTurn, restMs },
    });
    clicks += found.redirects;
    return found;
  };
  await round(0, true);
  await (await statsLoad(port, hot.alias, 'counted')).stop();
  pin(process.pid, 1);
  pin(pid, 0);
  for (const other of [...childrenOf(pid), stage.engine.pid ?? 0]) pin(other, 1);
  const figures: Record<string, object> = {};
  for (const [load, restMs] of Object.entries(LOADS)) {
    for (const asked of ['counted', 'remembered'] satisfies Asked[]) {
      const found = { quiet: [] as number[], busy: [] as number[], ratios: [] as number[] };
      let answers = 0;
      for (let i = 0; i < ROUNDS; i += 1) {
        const quiet = await round(restMs);
        await drained(stage, clicks);
        const asking = await statsLoad(port, hot.alias, asked);
        const busy = await round(restMs);
        const answered = await asking.stop();
        await drained(stage, clicks);
        found.quiet.push(quiet.p99Ms);
        found.busy.push(busy.p99Ms);
        found.ratios.push(busy.p99Ms / quiet.p99Ms);
        answers += answered;
        console.log(
          `${load}, ${asked}: p99 ${quiet.p99Ms.toFixed(2)} ms at ${quiet.perSecond.toFixed(0)}/s, ` +
            `with statistics ${busy.p99Ms.toFixed(2)} ms at ${busy.perSecond.toFixed(0)}/s, ${answered} answers`,
        );
      }
      figures[`redirects_${load}_${asked}`] = {
        p99_ms: rounded(median(found.quiet)),
        p99_ms_with_statistics: rounded(median(found.busy)),
        ratio: rounded(median(found.ratios)),
        answers_a_second: rounded((answers * 1000) / (ROUNDS * ROUND_MS), 1),
      };
    }
  }
  pin(process.pid, '0-1');
  return figures;
}
