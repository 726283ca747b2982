import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { size } from './support/flags';
import { median, percentile } from './support/load';
import { childrenOf, pin, processorMs } from './support/pin';
import { drained, report, rounded, runBench } from './support/report';
import { type RunningService, Stage } from './support/stage';
import { visitWhile } from './support/visits';
import { redirectRound } from './support/wrk';

// CASE_INSENSITIVE_ALIASES: the backfill of links from an earlier release with visits meanwhile,
// and redirects of cached links with the setting compared with those without it.
// `--colliding` stores every tenth link in capitals with the previous one's alias.
const LINKS = size('links', 1_000_000, 2000);
const VISITED = Math.min(LINKS, 10_000);
const ROUNDS = size('rounds', 9, 1);
const ROUND_MS = size('ms', 4000, 500);
const QUIET_MS = 60_000;
const COLLIDING = process.argv.includes('--colliding');
const aPath = (): string => `/b${Math.floor(Math.random() * VISITED)}`;
const ON = { CASE_INSENSITIVE_ALIASES: 'true' };

runBench(async () => {
  const stage = await Stage.open();
  try {
    if (!process.argv.includes('--no-backfill')) await backfill(stage);
    if (!process.argv.includes('--no-redirects')) await redirects(stage);
  } finally {
    await stage.close();
  }
});

async function backfill(stage: Stage): Promise<void> {
  const owner = new mongoose.Types.ObjectId();
  await stage.seedLinks(LINKS, owner, (i) => ({
    ...(COLLIDING && i % 10 === 1 && { alias: `B${i - 1}` }),
    destination_hash: new mongoose.mongo.Binary(Buffer.from(String(i).padStart(8, '0'))),
  }));
  let begun = performance.now();
  await stage.indexLinks();
  const indexMs = performance.now() - begun;
  begun = performance.now();
  const { port } = await stage.service(ON);
  const upMs = performance.now() - begun;
  const jobs = stage.connection.collection('jobs');
  let state: mongoose.mongo.Document | null = null;
  const watching = (async () => {
    while (state?.['state'] !== 'done') {
      await sleep(1000);
      state = await jobs.findOne({ kind: 'backfill' });
    }
  })();
  const during = await visitWhile(port, aPath, () => state?.['state'] !== 'done', !COLLIDING);
  await watching;
  const links = stage.connection.collection('links');
  const [folded, claimed] = await Promise.all([
    links.countDocuments({ folded_alias: { $type: 'string' } }),
    links.countDocuments({ folded_claim: { $type: 'string' } }),
  ]);
  const { started_at, finished_at } = state as unknown as Record<string, Date>;
  const until = performance.now() + QUIET_MS;
  const after = await visitWhile(port, aPath, () => performance.now() < until, !COLLIDING);
  report('any-case backfill', {
    ...{ links: LINKS, folded, claimed, colliding: COLLIDING },
    index_s: rounded(indexMs / 1000, 1),
    up_s: rounded(upMs / 1000, 1),
    backfill_s: rounded((Number(finished_at) - Number(started_at)) / 1000, 1),
    visits: during.length,
    p99_ms: rounded(percentile(during, 0.99)),
    p50_ms: rounded(percentile(during, 0.5)),
    p99_ms_afterwards: rounded(percentile(after, 0.99)),
    p50_ms_afterwards: rounded(percentile(after, 0.5)),
  });
  await stage.endChildren();
  await links.drop();
}

async function redirects(stage: Stage): Promise<void> {
  await stage.seedLinks(VISITED);
  await stage.indexLinks();
  const services = { off: await stage.service(), on: await stage.service(ON) };
  pin(process.pid, 1);
  for (const service of Object.values(services)) pinService(service);
  let received = 0;
  const round = async (name: 'off' | 'on', inTurn: boolean): Promise<number> => {
    const { port, process } = services[name];
    const begun = processorMs(process.pid ?? 0);
    const { redirects } = await redirectRound({
      ...{ port, links: VISITED, connections: 16, folder: stage.dir },
      ...{ inTurn, ms: inTurn ? 3 * ROUND_MS : ROUND_MS },
    });
    const us = ((processorMs(process.pid ?? 0) - begun) * 1000) / redirects;
    await drained(stage, (received += redirects));
    return us;
  };
  await round('off', true);
  await round('on', true);
  const found: Record<'off' | 'on', number[]> = { off: [], on: [] };
  const ratios: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const order = i % 2 === 0 ? (['off', 'on'] as const) : (['on', 'off'] as const);
    for (const name of order) found[name].push(await round(name, false));
    const [off = NaN, on = NaN] = [found.off.at(-1), found.on.at(-1)];
    ratios.push(on / off);
    console.log(`off ${off.toFixed(1)} µs, on ${on.toFixed(1)} µs, ratio ${(on / off).toFixed(3)}`);
  }
  // Other load on the machine affects CPU time least.
  report('any-case redirects', {
    rounds: ROUNDS,
    off_processor_us: rounded(median(found.off), 1),
    on_processor_us: rounded(median(found.on), 1),
    ratio: rounded(median(ratios), 3),
    ratio_from: rounded(Math.min(...ratios), 3),
    ratio_to: rounded(Math.max(...ratios), 3),
  });
}

function pinService({ process: { pid = 0 } }: RunningService): void {
  pin(pid, 0);
  for (const child of childrenOf(pid)) pin(child, 1);
}
