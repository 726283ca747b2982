import { Types } from 'mongoose';
import { quick, size } from './support/flags';
import { median } from './support/load';
import {
  childrenOf,
  commandOf,
  pin,
  processorMs,
  residentMb,
  standBack,
  withoutProcess,
} from './support/pin';
import { drained, report, rounded, runBench } from './support/report';
import { Stage } from './support/stage';
import { workersRatio } from './support/workers-ratio';
import { redirectRound, type Round, wrkInstalled } from './support/wrk';

// Redirects compared with a bare node:http 302, interleaved and pinned to the same cores:
// server on core 0; generator, recorder and database on core 1. Then two workers compared with
// one, unless `--no-workers` is given.
const LINKS = size('links', 10_000, 1000);
// Each round takes four seconds. Memory is measured during about a minute of load.
const ROUNDS = size('rounds', 15, 2);
const WORKER_ROUNDS = Math.ceil(ROUNDS / 3);
const ROUND_MS = size('ms', 4000, 1000);
const ONE_CASE = process.argv.includes('--connections');
// Pauses recorder and database during a round: they would take the generator's core for
// milliseconds, regardless of their niceness.
const RECORDER_RESTS = process.argv.includes('--recorder-rests');
// Puts all links on a custom domain, which needs a lookup, instead of an unknown host.
const ON_DOMAIN = process.argv.includes('--on-domain');
const DOMAIN = 'go.example.com';
const CONNECTIONS = ONE_CASE || quick ? [size('connections', 64, 64)] : [64, 128];

interface Against {
  ratios: number[];
  p50: number[];
  p99: number[];
  bareP50: number[];
  bareP99: number[];
  memory: number[];
  /** Microseconds of processor time per redirect: web processes, recorder, database. */
  bare: number[];
  web: number[];
  recorder: number[];
  database: number[];
}

runBench(async () => {
  const stage = await Stage.open();
  try {
    await seedLinks(stage);
    const { cases, received } = await againstBare(stage);
    const stored = await stage.storedClicks();
    await stage.endChildren();
    const memory = cases.flatMap(({ found }) => found.memory);
    const workers =
      ON_DOMAIN || process.argv.includes('--no-workers')
        ? undefined
        : await workersRatio(stage, LINKS, WORKER_ROUNDS, ROUND_MS);
    report('redirect', {
      ...Object.fromEntries(
        cases.map(({ connections, found }) => [`connections_${connections}`, figuresOf(found)]),
      ),
      received,
      stored,
      difference: stored - received,
      // The heap fluctuates. A leak would raise the minimum of the second half.
      memory_mb_low_first_half: lowest(memory.slice(0, memory.length >> 1)),
      memory_mb_low_second_half: lowest(memory.slice(memory.length >> 1)),
      memory_mb_high: Math.round(Math.max(...memory)),
      ...(workers && { workers_ratio: workers.workers_ratio, workers }),
    });
  } finally {
    await stage.close();
  }
});

async function seedLinks(stage: Stage): Promise<void> {
  if (!ON_DOMAIN) return stage.seedLinks(LINKS);
  if (!wrkInstalled) throw new Error('--on-domain needs wrk');
  const _id = new Types.ObjectId();
  const owner = new Types.ObjectId();
  const now = new Date();
  await stage.connection.collection('domains').insertOne({
    ...{ _id, owner, fqdn: DOMAIN, status: 'active', held: true, token: 'a'.repeat(32) },
    ...{ root_redirect: null, not_found_redirect: null, robots: null, app_links: null },
    ...{
      created_at: now,
      updated_at: now,
      last_verified_at: now,
      failing_since: null,
      error: null,
    },
    ...{ check_at: new Date(now.getTime() + 86_400_000), revision: 1 },
  });
  await stage.seedLinks(LINKS, owner, (i) => ({ alias: `${_id.toHexString()}/b${i}` }));
}

function figuresOf({ ratios, p50, p99, bareP50, bareP99, ...found }: Against): object {
  return {
    rounds: ratios.length,
    ratio: rounded(median(ratios), 3),
    ratio_from: rounded(Math.min(...ratios)),
    ratio_to: rounded(Math.max(...ratios)),
    p50_ms: rounded(median(p50)),
    bare_p50_ms: rounded(median(bareP50)),
    p99_ms: rounded(median(p99)),
    bare_p99_ms: rounded(median(bareP99)),
    p99_ratio: rounded(median(p99) / median(bareP99)),
    // Other load on the machine affects CPU time least.
    processor_us: {
      bare: rounded(median(found.bare), 1),
      web: rounded(median(found.web), 1),
      recorder: rounded(median(found.recorder), 1),
      database: rounded(median(found.database), 1),
    },
  };
}

function lowest(megabytes: readonly number[]): number {
  return Math.round(Math.min(...megabytes));
}

async function againstBare(
  stage: Stage,
): Promise<{ cases: { connections: number; found: Against }[]; received: number }> {
  const bare = await stage.bareServer(LINKS);
  const service = await stage.service();
  const servicePid = service.process.pid ?? 0;
  pin(process.pid, 1);
  pin(bare.process.pid, 0);
  pin(servicePid, 0);
  for (const pid of childrenOf(servicePid)) {
    pin(pid, 1);
    standBack(pid);
  }
  standBack(stage.engine.pid);
  for (const pid of childrenOf(process.pid)) {
    if (pid !== bare.process.pid && pid !== servicePid) pin(pid, 1);
  }
  const recorder = childrenOf(servicePid).find((pid) => commandOf(pid).includes('recorder'));
  if (recorder === undefined) throw new Error('There is no recorder process');
  const used = () => ({
    bare: processorMs(bare.process.pid ?? 0),
    web: processorMs(servicePid),
    recorder: processorMs(recorder),
    database: processorMs(stage.engine.pid ?? 0),
  });
  let received = 0;
  const cases = CONNECTIONS.map((connections) => ({ connections, found: noneYet() }));
  for (const { connections, found } of cases) {
    const round = (port: number, first: boolean): Promise<Round> =>
      redirectRound({
        ...{ port, links: LINKS, connections, folder: stage.dir },
        ...(ON_DOMAIN && { host: DOMAIN }),
        ...{ inTurn: first, ms: first ? 3 * ROUND_MS : ROUND_MS },
      });
    for (let i = -1; i < ROUNDS; i++) {
      const begun = used();
      const yardstick = await round(bare.port, i < 0);
      const before = used();
      const asking = (): Promise<Round> => round(service.port, i < 0);
      const ours = await (RECORDER_RESTS ? withoutProcess(recorder, asking) : asking());
      const answered = used();
      received += ours.redirects;
      await drained(stage, received);
      if (i < 0) continue;
      const recorded = used();
      const ratio = ours.perSecond / yardstick.perSecond;
      const us = (from: number, to: number): number => ((to - from) * 1000) / ours.redirects;
      found.bare.push(((before.bare - begun.bare) * 1000) / yardstick.redirects);
      found.ratios.push(ratio);
      found.p50.push(ours.p50Ms);
      found.p99.push(ours.p99Ms);
      found.bareP50.push(yardstick.p50Ms);
      found.bareP99.push(yardstick.p99Ms);
      found.memory.push(residentMb(servicePid));
      found.web.push(us(before.web, answered.web));
      found.recorder.push(us(before.recorder, recorded.recorder));
      found.database.push(us(before.database, recorded.database));
      console.log(
        `${connections} connections, round ${i + 1}: bare ${yardstick.perSecond.toFixed(0)}/s, ` +
          `curtail ${ours.perSecond.toFixed(0)}/s, ratio ${ratio.toFixed(2)}, ` +
          `p50 ${ours.p50Ms.toFixed(2)} ms (bare ${yardstick.p50Ms.toFixed(2)}), ` +
          `p99 ${ours.p99Ms.toFixed(2)} ms (bare ${yardstick.p99Ms.toFixed(2)}), ` +
          `${residentMb(servicePid).toFixed(0)} MB`,
      );
    }
  }
  pin(process.pid, '0-1');
  return { cases, received };
}

function noneYet(): Against {
  return {
    ...{ ratios: [], p50: [], p99: [], bareP50: [], bareP99: [], memory: [] },
    ...{ bare: [], web: [], recorder: [], database: [] },
  };
}
