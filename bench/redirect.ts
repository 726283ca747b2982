import { size } from './support/flags';
import { load, type LoadResult, median, percentile } from './support/load';
import { childrenOf, pin, residentMb } from './support/pin';
import { drained, report, rounded, runBench } from './support/report';
import { Stage } from './support/stage';
import { workersRatio } from './support/workers-ratio';

// The redirect beside a bare node:http 302 from a Map, interleaved in one run, pinned alike:
// the answering process on core 0; this one, the recorder and the database on core 1. Then two
// workers beside one.
const LINKS = size('links', 10_000, 1000);
const ROUNDS = size('rounds', 7, 1);
const ROUND_MS = size('ms', 4000, 1000);
const CONNECTIONS = 64;
const HEADERS =
  'User-Agent: Mozilla/5.0 (X11; Linux x64) Chrome/120.0 Safari/537.36\r\n' +
  'Referer: https://news.example/\r\n';

const random = (): string => `/b${Math.floor(Math.random() * LINKS)}`;
// The first round asks for every link in turn, so that all of them are in the cache.
const inTurn = (n: number): string => `/b${n % LINKS}`;

interface Against {
  ratios: number[];
  p50: number[];
  p99: number[];
  memory: number[];
  received: number;
}

runBench(async () => {
  const stage = await Stage.open();
  try {
    await stage.seedLinks(LINKS);
    const { ratios, p50, p99, memory, received } = await againstBare(stage);
    const stored = await stage.storedClicks();
    await stage.endChildren();
    const workers = await workersRatio(stage, LINKS, ROUNDS, ROUND_MS);
    report('redirect', {
      ratio: rounded(median(ratios), 3),
      p50_ms: rounded(median(p50)),
      p99_ms: rounded(median(p99)),
      received,
      stored,
      difference: stored - received,
      memory_mb_first: Math.round(memory[1] ?? NaN),
      memory_mb_last: Math.round(memory.at(-1) ?? NaN),
      workers_ratio: workers.workers_ratio,
      workers,
    });
  } finally {
    await stage.close();
  }
});

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
  const found: Against = { ratios: [], p50: [], p99: [], memory: [], received: 0 };
  for (let i = -1; i < ROUNDS; i++) {
    const [target, ms] = i < 0 ? [inTurn, 3 * ROUND_MS] : [random, ROUND_MS];
    const yardstick = await round(bare.port, target, ms);
    const ours = await round(service.port, target, ms);
    found.received += ours.statuses.get(302) ?? 0;
    found.memory.push(residentMb(service.process.pid));
    await drained(stage, found.received);
    if (i < 0) continue; // warming up
    found.ratios.push(ours.perSecond / yardstick.perSecond);
    found.p50.push(percentile(ours.latencies, 0.5));
    found.p99.push(percentile(ours.latencies, 0.99));
    console.log(
      `round ${i + 1}: bare ${yardstick.perSecond.toFixed(0)}/s, curtail ${ours.perSecond.toFixed(0)}/s, ` +
        `ratio ${(ours.perSecond / yardstick.perSecond).toFixed(2)}, ` +
        `p50 ${percentile(ours.latencies, 0.5).toFixed(2)} ms, p99 ${percentile(ours.latencies, 0.99).toFixed(2)} ms, ` +
        `${residentMb(service.process.pid).toFixed(0)} MB`,
    );
  }
  pin(process.pid, '0-1');
  return found;
}

function round(port: number, target: (n: number) => string, ms: number): Promise<LoadResult> {
  const options = { host: '127.0.0.1', port, connections: CONNECTIONS, headers: HEADERS };
  return load({ ...options, ms, target });
}
