import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import type { SentQuestion } from '../src/analytics/engine/statistics-engine';
import type * as Engine from '../src/analytics/statistics-process/counting-engine';
import type * as Server from '../src/analytics/statistics-process/statistics-server';
import { clickBatchEntry } from '../src/clicks/store/click-batch';
import { ClickStore } from '../src/clicks/store/click-store';
import { ClickStoreRepository } from '../src/clicks/store/click-store.repository';
import { LinksRepository } from '../src/stores/links/links.repository';
import { aClick } from '../test/support/shared/click.factory';
import { median, percentile } from './support/load';
import { Stage } from './support/stage';
import { type Case, casesOf } from './stats/cases';
import { clickHouseFigures } from './stats/click-house';
import { wrongRows } from './stats/check';
import { ClickSource, DAY_MS } from './stats/clicks';
import { duckMedian } from './stats/duck';
import { type BenchLink, Recording } from './stats/recording';
import { redirectRatio } from './stats/redirect-ratio';
import { ONE_TAG, seedTags, type StoredTags, tagsOfLink } from './stats/tags';
import { Tape } from './stats/tape';

// Statistics at scale: one link with all clicks, then an account with as many clicks over many
// tagged links.
// --clicks N[,N…] (100,000,000 take some minutes and 6 GB), --links N, --rounds N, --memory MB
// --duckdb, --clickhouse (compare with that database), --redirects (p99 under constant queries)
const BUILT = join(__dirname, '..', '..', 'analytics', 'statistics-process');
const THREADS = 2;
const MAX_TRIES = 6;
const CANCELLED_AFTER_MS = 500;
const CLICKED_LINKS = 1000;
const CLICKED_ROUNDS = 15;

/* eslint-disable @typescript-eslint/no-require-imports -- the worker exists in the build only */
const { StatisticsServer } = require(join(BUILT, 'statistics-server.js')) as typeof Server;
const { startCountingEngine: startEngine } = require(
  join(BUILT, 'counting-engine.js'),
) as typeof Engine;
/* eslint-enable @typescript-eslint/no-require-imports */

async function main(): Promise<void> {
  for (const clicks of requestedSizes()) await atSize(clicks);
}

async function atSize(clicks: number): Promise<void> {
  const links = numberAfter('--links', 1000);
  const rounds = numberAfter('--rounds', 25);
  const memoryMb = numberAfter('--memory', 512);
  const stage = await Stage.open();
  const { mongoUri } = stage;
  const settings = { mongoUri, clickHouse: null, memoryMb, threads: THREADS };
  const server = await startServer(settings);
  try {
    const owner = new mongoose.Types.ObjectId();
    const start = Math.floor(Date.now() / DAY_MS) * DAY_MS - 31 * DAY_MS;
    const tags = await seedTags(stage.connection, owner);
    await stage.seedLinks(links + 1, owner, (i) => ({
      ...{ tags: tagsOfLink(tags, i), touched_at: new Date(start) },
    }));
    await stage.indexLinks();
    const others = await benchLinks(stage, tags);
    const hot = others.pop();
    if (hot === undefined) throw new Error('No links were stored');
    // The popular link is anonymous, so that its clicks do not count for the account.
    await stage.connection
      .collection('links')
      .updateOne({ alias: hot.alias }, { $set: { owner: null } });
    const begun = performance.now();
    const recording = new Recording(stage.connection);
    const ofLink = new ClickSource(start, clicks, 1);
    await recording.record(ofLink, [hot]);
    const bytes = recording.bytes / clicks;
    const ofAccount = process.argv.includes('--no-account')
      ? null
      : new ClickSource(start, clicks, links);
    if (ofAccount !== null) await recording.record(ofAccount, others);
    console.log(`${clicks} clicks, stored in ${seconds(begun)} s, ${bytes.toFixed(1)} bytes each`);

    const tape = new Tape(ofLink, [hot]);
    const accountTape = ofAccount && new Tape(ofAccount, others);
    let wrong = 0;
    const figures: Record<string, unknown> = { clicks, stored_bytes: round(bytes) };
    const cases = [...casesOf(start, hot, tape, owner.toHexString(), accountTape, ONE_TAG)];
    const [first] = cases;
    if (first === undefined) throw new Error('No query was sent');
    Object.assign(figures, await cancelled(settings, first));
    for (const one of cases) {
      const { name, source, query } = one;
      const late = new LateLoop();
      const [cold, usedCold] = [performance.now(), cpuMs()];
      const { answer, tries } = await firstAnswer(() =>
        server.count(asked(source, query), Infinity),
      );
      const coldMs = performance.now() - cold;
      const coldCpuMs = cpuMs() - usedCold;
      const coldLate = await late.read();
      wrong += wrongRows(one.tape, query, answer);
      late.begin();
      const times: number[] = [];
      const cpu: number[] = [];
      for (let i = 0; i < rounds; i += 1) {
        const [from, used] = [performance.now(), cpuMs()];
        await server.count(asked(source, query), 1000);
        times.push(performance.now() - from);
        cpu.push(cpuMs() - used);
      }
      times.sort((a, b) => a - b);
      const warmLate = await late.read();
      const held = server.status().heldBytes / clicks;
      figures[`${name}_ms`] = round(median(times));
      figures[`${name}_cpu_ms`] = round(median(cpu));
      if (name === 'all') {
        figures.all_p95_ms = round(percentile(times, 0.95));
        figures.first_ms = round(coldMs);
        figures.first_cpu_ms = round(coldCpuMs);
        figures.first_tries = tries;
        figures.first_late_ms = round(coldLate);
        figures.late_ms = round(warmLate);
        figures.held_bytes = round(held);
      }
      console.log(
        `${name}: median ${median(times).toFixed(0)} ms (processor ${median(cpu).toFixed(0)}), p95 ${percentile(times, 0.95).toFixed(0)} ms, ` +
          `first ${coldMs.toFixed(0)} ms (processor ${coldCpuMs.toFixed(0)}), event loop late by ${warmLate.toFixed(0)} ms, at first by ${coldLate.toFixed(0)}, ${held.toFixed(1)} bytes a click held, ${wrong} wrong rows`,
      );
    }
    const [asksByTag] = cases.slice(-1);
    // These are additional clicks, which the ClickHouse comparison must not include.
    const isCompared = process.argv.includes('--clickhouse');
    if (asksByTag !== undefined && ofAccount !== null && !isCompared) {
      const ask = () => server.count(asked(asksByTag.source, asksByTag.query), 1000);
      Object.assign(figures, await whileClicked(stage, others, start, ask));
    }
    if (process.argv.includes('--duckdb')) {
      const duck = await duckMedian(ofLink, stage.dir, Math.min(rounds, 5));
      figures.duckdb_ms = round(duck.ms);
      figures.duckdb_cpu_ms = round(duck.cpuMs);
      console.log(`DuckDB: median ${duck.ms.toFixed(0)} ms (processor ${duck.cpuMs.toFixed(0)})`);
    }
    figures.wrong_rows = wrong;
    if (process.argv.includes('--redirects')) {
      Object.assign(figures, await redirectRatio(stage, hot, others.length));
    }
    if (isCompared) {
      const found = await clickHouseFigures(stage.connection, cases, rounds, async (options) => {
        const engine = await startServer({ ...settings, clickHouse: options });
        return {
          ask: ({ source, query }, rows) => engine.count(asked(source, query), rows),
          stop: () => engine.stop(),
        };
      });
      Object.assign(figures, found);
    }
    console.log(JSON.stringify({ bench: 'stats', ...figures }));
  } finally {
    await server.stop();
    await stage.close();
  }
}

async function whileClicked(
  stage: Stage,
  links: readonly BenchLink[],
  start: number,
  ask: () => Promise<{ summary: { clicks: number } }>,
) {
  const stores = new ClickStoreRepository(stage.connection);
  const store = new ClickStore(stores, new LinksRepository(stage.connection));
  const { summary: before } = await ask();
  const times: number[] = [];
  for (let number = 1; number <= CLICKED_ROUNDS; number += 1) {
    const entries = Array.from({ length: CLICKED_LINKS }, (_, i) => {
      const link = links[(number * CLICKED_LINKS + i * 7) % links.length];
      return clickBatchEntry(link?.id ?? '', [aClick({ at: start + number * 1000 + i })]);
    });
    const distinct = new Map(entries.map((entry) => [entry.linkId, entry]));
    await store.record({ node: 'aaaa0001', number, entries: [...distinct.values()] });
    before.clicks += distinct.size;
    const from = performance.now();
    const { summary } = await ask();
    times.push(performance.now() - from);
    if (summary.clicks !== before.clicks) throw new Error('Clicks of the last batch are missing');
  }
  const [clicked_ms, clicked_p95_ms] = [
    median(times),
    percentile(
      times.sort((a, b) => a - b),
      0.95,
    ),
  ];
  console.log(
    `account by tag after ${CLICKED_LINKS} links were clicked: median ${clicked_ms.toFixed(0)} ms, p95 ${clicked_p95_ms.toFixed(0)} ms`,
  );
  return { clicked_ms: round(clicked_ms), clicked_p95_ms: round(clicked_p95_ms) };
}

async function cancelled(settings: Settings, { source, query }: Case) {
  const server = await startServer(settings);
  const reader = new AbortController();
  const late = new LateLoop();
  const counting = server.count(asked(source, query), Infinity, reader.signal).then(
    () => 'counted',
    () => 'cancelled',
  );
  await sleep(CANCELLED_AFTER_MS);
  const cancelling = performance.now();
  reader.abort();
  const outcome = await counting;
  while (server.status().counted === 0) await nextTurn();
  const tookMs = performance.now() - cancelling;
  const lateMs = await late.read();
  await server.stop();
  console.log(
    `${outcome} after ${CANCELLED_AFTER_MS} ms: its turn is over ${tookMs.toFixed(1)} ms later, event loop late by ${lateMs.toFixed(0)} ms`,
  );
  return { cancel_ms: round(tookMs), cancel_late_ms: round(lateMs) };
}

type Settings = Parameters<typeof startEngine>[0];

async function startServer(settings: Settings): Promise<Server.StatisticsServer> {
  return new StatisticsServer(await startEngine(settings), () => {
    throw new Error('A cancelled query does not end');
  });
}

function asked(source: SentQuestion['source'], query: SentQuestion['query']): SentQuestion {
  return { source, query, client: '', requestKey: null, clicks: null, isPublic: false };
}

/** Maximum delay, in milliseconds, of the event loop that reads and ranks. */
class LateLoop {
  private readonly delays = monitorEventLoopDelay({ resolution: 1 });

  constructor() {
    this.delays.enable();
  }

  begin(): void {
    this.delays.reset();
  }

  async read(): Promise<number> {
    await sleep(5);
    return this.delays.max / 1e6;
  }
}

/** Retries a query that times out. The retry continues where the query stopped. */
async function firstAnswer<T>(ask: () => Promise<T>): Promise<{ answer: T; tries: number }> {
  for (let tries = 1; ; tries += 1) {
    try {
      return { answer: await ask(), tries };
    } catch (error) {
      if (tries === MAX_TRIES) throw error;
      console.log(`try ${tries}: ${String(error)}`);
    }
  }
}

async function benchLinks(stage: Stage, tags: StoredTags): Promise<BenchLink[]> {
  const links = await stage.connection.collection('links').find().sort({ _id: 1 }).toArray();
  return links.map((link) => ({
    id: link._id.toHexString(),
    alias: String(link.alias),
    tags: (link.tags as mongoose.Types.ObjectId[]).map((id) => tags.get(id.toHexString()) ?? ''),
  }));
}

function requestedSizes(): number[] {
  const at = process.argv.indexOf('--clicks');
  const sizes = at === -1 ? [1_000_000] : (process.argv[at + 1] ?? '').split(',').map(Number);
  if (!sizes.every((size) => Number.isInteger(size) && size >= 1000)) {
    throw new Error('--clicks takes numbers ≥ 1000');
  }
  return sizes;
}

function numberAfter(flag: string, otherwise: number): number {
  const at = process.argv.indexOf(flag);
  const number = at === -1 ? otherwise : Number(process.argv[at + 1]);
  if (!Number.isInteger(number) || number < 1) throw new Error(`${flag} takes a number`);
  return number;
}

/**
 * Returns the CPU time of this process and its threads. Unlike wall time, it hardly depends on
 * other load.
 */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function seconds(begun: number): string {
  return ((performance.now() - begun) / 1000).toFixed(0);
}

function round(value = NaN): number {
  return Number(value.toFixed(2));
}

main().then(
  // Servers keep their database connections open until the process ends.
  () => process.exit(),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
