import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { engineSocket, engineUri } from '../src/infrastructure/mongo/socket-folder';
import { eventually, freePort } from '../test/support/service';
import { processesOf, sampleOf, type Sample } from './soak/processes';
import { type Kind, KINDS, type Minute, Traffic } from './soak/traffic';
import { type Clicks, judge, minuteLine } from './soak/verdict';
import { size } from './support/flags';
import { report, runBench } from './support/report';
import { end, launch, SECRET, storeLinks, up } from './support/stage';

// Soak test: two web workers and an embedded database under a steady mix of requests; every
// minute a process is killed. Exits with 1 if a link's clicks differ from its redirects, or if
// memory, journal or latency grow.
const MINUTES = size('minutes', 30, 1);
const LINKS = size('links', 10_000, 1000);
const ACCOUNTS = 20;
const MINUTE_MS = 60_000;
const SAMPLE_MS = 5000;
/** Offset of the kill within each minute. */
const KILL_MS = 30_000;
const VICTIMS = ['worker', 'recorder', 'worker', 'recorder', 'primary'] as const;
const DRAIN_MS = 120_000;

class LongLife {
  readonly begun = Date.now();
  readonly samples: Sample[] = [];
  readonly kills = new Map<string, number>();
  private service?: ChildProcess;
  private sampling?: NodeJS.Timeout;

  constructor(
    private readonly dataDir: string,
    private readonly port: number,
  ) {}

  async start(): Promise<void> {
    const env = { DATA_DIR: this.dataDir, WEB_CONCURRENCY: '2', LOG_LEVEL: 'error' };
    this.service = launch(this.port, env);
    await up(this.port);
  }

  startSampling(): void {
    this.sampling = setInterval(() => {
      this.samples.push(sampleOf(this.service?.pid ?? 0, this.dataDir, this.begun));
    }, SAMPLE_MS);
  }

  async kill(victim: (typeof VICTIMS)[number]): Promise<void> {
    const primary = this.service;
    const found = processesOf(primary?.pid ?? 0).find(({ role }) => role === victim);
    if (found === undefined || primary === undefined) return;
    this.kills.set(victim, (this.kills.get(victim) ?? 0) + 1);
    process.kill(found.pid, 'SIGKILL');
    if (victim !== 'primary') return;
    if (primary.signalCode === null) await once(primary, 'exit');
    await this.start();
  }

  async end(): Promise<void> {
    clearInterval(this.sampling);
    if (this.service !== undefined) await end(this.service);
  }
}

runBench(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'curtail-soak-'));
  const port = await freePort();
  const life = new LongLife(dataDir, port);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      void life.end().then(() => {
        rmSync(dataDir, { recursive: true, force: true });
        process.exit(1);
      });
    });
  }
  try {
    await life.start();
    const uri = engineUri(engineSocket(dataDir), 'curtail');
    const database = await mongoose.createConnection(uri).asPromise();
    try {
      await soak(life, database, port);
    } finally {
      await database.close();
    }
  } finally {
    await life.end();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

async function soak(life: LongLife, database: mongoose.Connection, port: number): Promise<void> {
  const owners = Array.from({ length: ACCOUNTS }, () => new mongoose.Types.ObjectId());
  await storeLinks(database, LINKS, (i) => ({ owner: owners[i % ACCOUNTS] }));
  const accounts = owners.map((owner) => owner.toHexString());
  const traffic = new Traffic({ port, links: LINKS, accounts, secret: SECRET });
  const begun = Date.now();
  traffic.start();
  life.startSampling();
  for (let i = 0; i < MINUTES; i++) {
    const from = life.samples.length;
    await sleep(KILL_MS);
    await life.kill(VICTIMS[i % VICTIMS.length] ?? 'worker');
    await sleep(Math.max(0, begun + (i + 1) * MINUTE_MS - Date.now()));
    const minute = traffic.minutes[i];
    if (minute !== undefined) console.log(minuteLine(i, life.samples.slice(from), minute));
  }
  await traffic.stop();
  const clicks = await countClicks(database, traffic);
  const minutes = traffic.minutes.slice(0, MINUTES);
  const { figures, failures } = judge(life.samples, minutes, clicks);
  report('soak', {
    minutes: MINUTES,
    links: LINKS,
    kills: Object.fromEntries(life.kills),
    requests: Object.fromEntries(KINDS.map((kind) => [kind, answersOf(minutes, kind)])),
    unexpected: Object.fromEntries(traffic.unexpected),
    skipped: traffic.skipped,
    ...figures,
    failures,
  });
  if (failures.length > 0) process.exitCode = 1;
}

function answersOf(minutes: readonly Minute[], kind: Kind): number {
  return minutes.reduce((sum, { latencies }) => sum + latencies[kind].length, 0);
}

async function countClicks(database: mongoose.Connection, traffic: Traffic): Promise<Clicks> {
  const sum = (counts: Uint32Array): number => counts.reduce((all, count) => all + count, 0);
  const answered = sum(traffic.answered);
  let stored = new Uint32Array(0);
  const settled = async (): Promise<boolean> => {
    const before = sum(stored);
    await sleep(SAMPLE_MS);
    stored = await storedClicks(database);
    return sum(stored) === before && before >= answered;
  };
  // The comparison below counts clicks that are still missing.
  await eventually('every click is stored', settled, DRAIN_MS).catch(console.error);
  let linksOff = 0;
  stored.forEach((clicks, link) => {
    const [least = 0, open = 0] = [traffic.answered[link], traffic.unanswered[link]];
    if (clicks < least || clicks > least + open) linksOff++;
  });
  return { answered, unanswered: sum(traffic.unanswered), stored: sum(stored), linksOff };
}

async function storedClicks(database: mongoose.Connection): Promise<Uint32Array<ArrayBuffer>> {
  const stored = new Uint32Array(LINKS);
  const links = database
    .collection<{ alias: string; total_clicks: number }>('links')
    .find({ alias: /^b\d+$/ }, { projection: { alias: 1, total_clicks: 1 } });
  for await (const { alias, total_clicks } of links) {
    const link = Number(alias.slice(1));
    if (link < LINKS) stored[link] = total_clicks;
  }
  return stored;
}
