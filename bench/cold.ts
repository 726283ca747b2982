import { size } from './support/flags';
import { load, type LoadResult, median, percentile } from './support/load';
import { residentMb } from './support/pin';
import { drained, report, rounded, runBench } from './support/report';
import { Stage } from './support/stage';

// Redirects to a million links in random order; the cache holds 50,000, so almost every visit
// reads the database. Baseline: one database read per visit.
const LINKS = size('links', 1_000_000, 60_000);
const ROUNDS = size('rounds', 5, 1);
const ROUND_MS = size('ms', 5000, 1500);
const CONNECTIONS = 64;

const anyAlias = (): string => `b${Math.floor(Math.random() * LINKS)}`;

runBench(async () => {
  const stage = await Stage.open();
  try {
    await stage.seedLinks(LINKS);
    await stage.indexLinks();
    const bare = await stage.bareServer(LINKS);
    const service = await stage.service();
    const round = (port: number): Promise<LoadResult> =>
      load({
        ...{ host: '127.0.0.1', port, connections: CONNECTIONS, ms: ROUND_MS },
        target: () => `/${anyAlias()}`,
      });
    let received = 0;
    const [rates, toBare, toReads, p99]: number[][] = [[], [], [], []];
    for (let i = -1; i < ROUNDS; i++) {
      const yardstick = await round(bare.port);
      const reads = await readsPerSecond(stage);
      const ours = await round(service.port);
      received += ours.statuses.get(302) ?? 0;
      await drained(stage, received);
      if (i < 0) continue;
      rates!.push(ours.perSecond);
      toBare!.push(ours.perSecond / yardstick.perSecond);
      toReads!.push(ours.perSecond / reads);
      p99!.push(percentile(ours.latencies, 0.99));
      console.log(
        `round ${i + 1}: bare ${yardstick.perSecond.toFixed(0)}/s, findOne ${reads.toFixed(0)}/s, ` +
          `curtail ${ours.perSecond.toFixed(0)}/s`,
      );
    }
    const stored = await stage.storedClicks();
    report('cold', {
      links: LINKS,
      ratio: rounded(median(toBare!), 3),
      ratio_to_single_reads: rounded(median(toReads!)),
      per_s: Math.round(median(rates!)),
      p99_ms: rounded(median(p99!)),
      received,
      stored,
      difference: stored - received,
      memory_mb: Math.round(residentMb(service.process.pid)),
    });
  } finally {
    await stage.close();
  }
});

async function readsPerSecond(stage: Stage): Promise<number> {
  const links = stage.connection.collection('links');
  const begun = performance.now();
  let reads = 0;
  const one = async (): Promise<void> => {
    while (performance.now() - begun < ROUND_MS) {
      await links.findOne({ alias: anyAlias() });
      reads++;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, one));
  return (reads * 1000) / (performance.now() - begun);
}
