import { Callers } from './mix/callers';
import { EXPECTED, type Kind, kindOf, requestOf } from './mix/kinds';
import { size } from './support/flags';
import { load, type LoadResult, median, percentile } from './support/load';
import { residentMb } from './support/pin';
import { drained, report, rounded, runBench } from './support/report';
import { SECRET, Stage } from './support/stage';

const LINKS = size('links', 10_000, 1000);
const ROUNDS = size('rounds', 5, 1);
const ROUND_MS = size('ms', 8000, 3000);
const ACCOUNTS = 2000;
const CONNECTIONS = 64;

const latencies = new Map<Kind, number[]>();
const unexpected = new Map<string, number>();

runBench(async () => {
  const stage = await Stage.open();
  try {
    await stage.seedLinks(LINKS);
    const service = await stage.service();
    const callers = new Callers(ACCOUNTS, SECRET);
    await callers.register(service.port);
    let received = 0;
    const round = async (options: { target: () => string } | { mixed: true }) => {
      const fixed = { host: '127.0.0.1', port: service.port, connections: CONNECTIONS };
      const result = await load(
        'target' in options
          ? { ...fixed, ms: ROUND_MS, target: options.target }
          : {
              ...fixed,
              ms: ROUND_MS,
              request: (n) => requestOf(n, LINKS, callers),
              observe: note,
            },
      );
      received += redirectsOf(result);
      await drained(stage, received);
      return result.perSecond;
    };
    const [mixes, ratios]: [number[], number[]] = [[], []];
    for (let i = -1; i < ROUNDS; i++) {
      const alone = await round({ target: () => `/b${Math.floor(Math.random() * LINKS)}` });
      if (i === 0) latencies.clear();
      const mixed = await round({ mixed: true });
      if (i < 0) continue;
      mixes.push(mixed);
      ratios.push(mixed / alone);
      console.log(`round ${i + 1}: redirects ${alone.toFixed(0)}/s, mix ${mixed.toFixed(0)}/s`);
    }
    const stored = await stage.storedClicks();
    report('mix', {
      per_s: Math.round(median(mixes)),
      ratio_to_redirects: rounded(median(ratios), 3),
      latency_ms: Object.fromEntries([...latencies].map(([kind, all]) => [kind, spread(all)])),
      unexpected: Object.fromEntries(unexpected),
      received,
      stored,
      difference: stored - received,
      memory_mb: Math.round(residentMb(service.process.pid)),
    });
  } finally {
    await stage.close();
  }
});

function note(n: number, status: number, ms: number): void {
  const kind = kindOf(n);
  const known = latencies.get(kind);
  if (known === undefined) latencies.set(kind, [ms]);
  else known.push(ms);
  if (status === EXPECTED[kind]) return;
  const what = `${kind} ${status}`;
  unexpected.set(what, (unexpected.get(what) ?? 0) + 1);
}

function redirectsOf({ statuses }: LoadResult): number {
  return statuses.get(302) ?? 0;
}

function spread(all: number[]): { p50: number; p99: number } {
  const sorted = [...all].sort((a, b) => a - b);
  return { p50: rounded(percentile(sorted, 0.5)), p99: rounded(percentile(sorted, 0.99)) };
}
