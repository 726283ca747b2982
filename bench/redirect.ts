import { load, type LoadResult, median, percentile } from './support/load';
import { childrenOf, pin, residentMb } from './support/pin';
import { Stage } from './support/stage';
import { eventually } from '../test/support/service';

// The redirect beside a bare node:http 302 from a Map, interleaved in one run, pinned alike:
// the answering process on core 0; this one, the recorder and the database on core 1.
const LINKS = 10_000;
const ROUNDS = 7;
const ROUND_MS = 4000;
const CONNECTIONS = 64;

async function main(): Promise<void> {
  const stage = await Stage.open();
  try {
    await stage.seedLinks(LINKS);
    const bare = await stage.bareServer(LINKS);
    const service = await stage.service();
    pin(process.pid, 1);
    pin(bare.process.pid, 0);
    pin(service.process.pid, 0);
    for (const pid of childrenOf(service.process.pid ?? 0)) pin(pid, 1);
    for (const pid of childrenOf(process.pid)) {
      if (pid !== bare.process.pid && pid !== service.process.pid) pin(pid, 1);
    }
    const random = (): string => `/b${Math.floor(Math.random() * LINKS)}`;
    // The first round asks for every link in turn, so that all of them are in the cache.
    const inTurn = (n: number): string => `/b${n % LINKS}`;
    const round = (
      port: number,
      target: (n: number) => string,
      ms = ROUND_MS,
    ): Promise<LoadResult> =>
      load({
        host: '127.0.0.1',
        port,
        connections: CONNECTIONS,
        ms,
        target,
        headers: `User-Agent: Mozilla/5.0 (X11; Linux x64) Chrome/120.0 Safari/537.36\r\nReferer: https://news.example/\r\n`,
      });

    let received = 0;
    const ratios: number[] = [];
    const p50: number[] = [];
    const p99: number[] = [];
    const memory: number[] = [];
    for (let i = -1; i < ROUNDS; i++) {
      const [target, ms] = i < 0 ? [inTurn, 3 * ROUND_MS] : [random, ROUND_MS];
      const yardstick = await round(bare.port, target, ms);
      const ours = await round(service.port, target, ms);
      received += ours.statuses.get(302) ?? 0;
      memory.push(residentMb(service.process.pid));
      await drained(stage, received);
      if (i < 0) continue; // warming up
      ratios.push(ours.perSecond / yardstick.perSecond);
      p50.push(percentile(ours.latencies, 0.5));
      p99.push(percentile(ours.latencies, 0.99));
      console.log(
        `round ${i + 1}: bare ${yardstick.perSecond.toFixed(0)}/s, curtail ${ours.perSecond.toFixed(0)}/s, ` +
          `ratio ${(ours.perSecond / yardstick.perSecond).toFixed(2)}, ` +
          `p50 ${percentile(ours.latencies, 0.5).toFixed(2)} ms, p99 ${percentile(ours.latencies, 0.99).toFixed(2)} ms, ` +
          `${residentMb(service.process.pid).toFixed(0)} MB`,
      );
    }
    const stored = await stage.storedClicks();
    console.log(
      JSON.stringify({
        bench: 'redirect',
        ratio: Number(median(ratios).toFixed(3)),
        p50_ms: Number(median(p50).toFixed(2)),
        p99_ms: Number(median(p99).toFixed(2)),
        received,
        stored,
        difference: stored - received,
        memory_mb_first: Math.round(memory[1] ?? NaN),
        memory_mb_last: Math.round(memory.at(-1) ?? NaN),
      }),
    );
  } finally {
    await stage.close();
  }
}

/** Waits until the recorder has stored everything, so that no round pays for another one's. */
async function drained(stage: Stage, clicks: number): Promise<void> {
  await eventually(
    'every click is stored',
    async () => (await stage.storedClicks()) >= clicks,
    120_000,
  );
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
