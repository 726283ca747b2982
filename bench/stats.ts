import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import mongoose from 'mongoose';
import type * as Engine from '../src/analytics/engine/statistics-engine';
import type * as Thread from '../src/analytics/engine/statistics-thread';
import { median, percentile } from './support/load';
import { Stage } from './support/stage';
import { casesOf } from './stats/cases';
import { wrongRows } from './stats/check';
import { ClickSource } from './stats/clicks';
import { type BenchLink, Recording } from './stats/recording';
import { redirectRatio } from './stats/redirect-ratio';
import { Tape } from './stats/tape';

// Statistics at size: one link with all clicks, then an account of 1,000 links with as many,
// through the storage format, the thread and the database of the program.
const BUILT = join(__dirname, '..', '..', 'analytics', 'engine');
const ROUNDS = 25;
const LINKS = 1000;
const DAY_MS = 86_400_000;

/* eslint-disable @typescript-eslint/no-require-imports -- the worker exists in the build only */
const { StatisticsEngine } = require(join(BUILT, 'statistics-engine.js')) as typeof Engine;
const { StatisticsThread } = require(join(BUILT, 'statistics-thread.js')) as typeof Thread;
/* eslint-enable @typescript-eslint/no-require-imports */

async function main(): Promise<void> {
  const clicks = sizeAsked();
  const stage = await Stage.open();
  const thread = new StatisticsThread({ mongoUri: stage.mongoUri, memoryMb: 512 });
  const engine = new StatisticsEngine(thread);
  try {
    const owner = new mongoose.Types.ObjectId();
    const recording = new Recording(stage.connection);
    const start = Math.floor(Date.now() / DAY_MS) * DAY_MS - 30 * DAY_MS;
    const [linkTape, accountTape] = [new Tape(clicks), new Tape(clicks)];
    await stage.seedLinks(LINKS + 1, owner);
    const [hot, ...links] = await benchLinks(stage);
    if (hot === undefined) throw new Error('No links were stored');
    // The hot link belongs to nobody, so that the account has as many clicks as it has.
    await stage.connection
      .collection('links')
      .updateOne({ alias: hot.alias }, { $set: { owner: null } });
    console.log(`recording ${clicks} clicks of one link, then of ${LINKS} links`);
    const begun = performance.now();
    const hourly = Math.ceil(clicks / 720);
    await recording.record(new ClickSource(start, clicks), [hot], hourly, linkTape);
    await recording.record(
      new ClickSource(start, clicks),
      links,
      Math.max(LINKS, Math.ceil(clicks / 30)),
      accountTape,
    );
    console.log(`recorded in ${((performance.now() - begun) / 1000).toFixed(0)} s`);

    const cases = casesOf(start, hot, linkTape, owner.toHexString(), accountTape);
    let wrong = 0;
    const medians = new Map<string, number>();
    let allP95 = NaN;
    for (const { name, source, query, tape } of cases) {
      const cold = performance.now();
      wrong += wrongRows(tape, query, await engine.count(source, query, Infinity));
      const coldMs = performance.now() - cold;
      const times: number[] = [];
      for (let i = 0; i < ROUNDS; i += 1) {
        const asked = performance.now();
        await engine.count(source, query, 1000);
        times.push(performance.now() - asked);
      }
      times.sort((a, b) => a - b);
      medians.set(name, median(times));
      if (name === 'all') allP95 = percentile(times, 0.95);
      console.log(
        `${name}: median ${median(times).toFixed(0)} ms, p95 ${percentile(times, 0.95).toFixed(0)} ms ` +
          `(first with check ${coldMs.toFixed(0)} ms)`,
      );
    }
    const ratio = await redirectRatio(stage, hot);
    const filtered = ['country', 'browser and two referrers', 'two days'];
    console.log(
      JSON.stringify({
        bench: 'stats',
        clicks,
        all_ms: round(medians.get('all')),
        all_p95_ms: round(allP95),
        filtered_ms: round(Math.max(...filtered.map((name) => medians.get(name) ?? NaN))),
        account_ms: round(medians.get('account')),
        bytes_per_click: round(await recording.bytesPerClick()),
        wrong_answers: wrong,
        redirect_p99_ratio: round(ratio),
      }),
    );
  } finally {
    await thread.stop();
    await stage.close();
  }
}

async function benchLinks(stage: Stage): Promise<BenchLink[]> {
  const links = await stage.connection.collection('links').find().sort({ _id: 1 }).toArray();
  return links.map((link) => ({ id: link._id.toHexString(), alias: String(link.alias) }));
}

function sizeAsked(): number {
  const at = process.argv.indexOf('--clicks');
  const size = at === -1 ? 1_000_000 : Number(process.argv[at + 1]);
  if (!Number.isInteger(size) || size < 1000) throw new Error('--clicks takes a number ≥ 1000');
  return size;
}

function round(value = NaN): number {
  return Number(value.toFixed(2));
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
