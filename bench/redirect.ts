import { size } from './support/flags';
import { median } from './support/load';
import { childrenOf, pin, residentMb } from './support/pin';
import { drained, report, rounded, runBench } from './support/report';
import { Stage } from './support/stage';
import { workersRatio } from './support/workers-ratio';
import { redirectRound, type Round } from './support/wrk';

// The redirect beside a bare node:http 302 from a Map, interleaved in one run, pinned alike:
// the answering process on core 0; this one, the recorder and the database on core 1. Then two
// workers beside one.
const LINKS = size('links', 10_000, 1000);
// Of four seconds each: a minute of load on the service, over which its memory is watched.
const ROUNDS = size('rounds', 15, 2);
const WORKER_ROUNDS = Math.ceil(ROUNDS / 3);
const ROUND_MS = size('ms', 4000, 1000);
// Many, so that work is left while the generator waits for the core that it shares with others.
const CONNECTIONS = size('connections', 128, 64);
interface Against {
  ratios: number[];
  p50: number[];
  p99: number[];
  bareP50: number[];
  bareP99: number[];
  memory: number[];
  received: number;
}

runBench(async () => {
  const stage = await Stage.open();
  try {
    await stage.seedLinks(LINKS);
    const { ratios, p50, p99, bareP50, bareP99, memory, received } = await againstBare(stage);
    const stored = await stage.storedClicks();
    await stage.endChildren();
    const workers = await workersRatio(stage, LINKS, WORKER_ROUNDS, ROUND_MS);
    report('redirect', {
      ratio: rounded(median(ratios), 3),
      p50_ms: rounded(median(p50)),
      p99_ms: rounded(median(p99)),
      bare_p50_ms: rounded(median(bareP50)),
      bare_p99_ms: rounded(median(bareP99)),
      received,
      stored,
      difference: stored - received,
      // The heap rises and falls; what does not come back would raise the second of these.
      memory_mb_low_first_half: lowest(memory.slice(1, 1 + (ROUNDS >> 1))),
      memory_mb_low_second_half: lowest(memory.slice(1 + (ROUNDS >> 1))),
      memory_mb_high: Math.round(Math.max(...memory)),
      workers_ratio: workers.workers_ratio,
      workers,
    });
  } finally {
    await stage.close();
  }
});

function lowest(megabytes: readonly number[]): number {
  return Math.round(Math.min(...megabytes));
}

async function againstBare(stage: Stage): Promise<Against> {
  const bare = await stage.bareServer(LINKS);
  const service = await stage.service();
  pin(process.pid, 1);
  pin(bare.process.pid, 0);
  pin(service.process.pid, 0);
  for (const pid of childrenOf(service.process.pid ?? 0)) pin(pid, 1);
  for (const pid of childrenOf(process.pid)) {
    if (pid !== bare.process.pid && pid !== service.process.pid) pin(pid, 1);
  }
  const found: Against = {
    ratios: [],
    p50: [],
    p99: [],
    bareP50: [],
    bareP99: [],
    memory: [],
    received: 0,
  };
  const round = (port: number, first: boolean): Promise<Round> =>
    redirectRound({
      ...{ port, links: LINKS, connections: CONNECTIONS, folder: stage.dir },
      // The first round asks for every link in turn, so that all of them are in the cache.
      ...{ inTurn: first, ms: first ? 3 * ROUND_MS : ROUND_MS },
    });
  for (let i = -1; i < ROUNDS; i++) {
    const yardstick = await round(bare.port, i < 0);
    const ours = await round(service.port, i < 0);
    found.received += ours.redirects;
    found.memory.push(residentMb(service.process.pid));
    await drained(stage, found.received);
    if (i < 0) continue; // warming up
    const ratio = ours.perSecond / yardstick.perSecond;
    found.ratios.push(ratio);
    found.p50.push(ours.p50Ms);
    found.p99.push(ours.p99Ms);
    found.bareP50.push(yardstick.p50Ms);
    found.bareP99.push(yardstick.p99Ms);
    console.log(
      `round ${i + 1}: bare ${yardstick.perSecond.toFixed(0)}/s, curtail ${ours.perSecond.toFixed(0)}/s, ` +
        `ratio ${ratio.toFixed(2)}, p50 ${ours.p50Ms.toFixed(2)} ms (bare ${yardstick.p50Ms.toFixed(2)}), ` +
        `p99 ${ours.p99Ms.toFixed(2)} ms (bare ${yardstick.p99Ms.toFixed(2)}), ` +
        `${residentMb(service.process.pid).toFixed(0)} MB`,
    );
  }
  pin(process.pid, '0-1');
  return found;
}
