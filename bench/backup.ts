import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { EmbeddedEngine } from '../src/infrastructure/mongo/embedded-engine';
import { freePort } from '../test/support/service';
import { size } from './support/flags';
import { median, percentile } from './support/load';
import { report, rounded, runBench } from './support/report';
import { end, launch, storeLinks, up } from './support/stage';

// Redirect latency while `curtail backup` reads the embedded database, alternating with idle
// seconds. Requests have fixed start times, so stalls count in full.
// --links N (200,000), --rate N (redirects a second), --rounds N (backups)
const LINKS = size('links', 200_000, 2000);
const RATE = size('rate', 500, 200);
const ROUNDS = size('rounds', 7, 1);
const ALONE_MS = size('ms', 6000, 1000);
const CLICKED = 2000;
const TICK_MS = 1;
/** Niceness of the load generator, which simulates another machine. */
const AHEAD = process.getuid?.() === 0 ? -20 : 0;
const DATABASE = 'curtail';
const quiet = { info: () => undefined, warn: console.error, error: console.error };

runBench(async () => {
  const dir = mkdtempSync(join(tmpdir(), 'curtail-bench-'));
  let service: ChildProcess | undefined;
  try {
    await seed(join(dir, 'data'));
    const port = await freePort();
    service = launch(port, { DATA_DIR: join(dir, 'data') });
    await up(port);
    setPriority(AHEAD);
    await visits(port, () => sleep(ALONE_MS));
    const found = { alone: [] as number[][], beside: [] as number[][], seconds: [] as number[] };
    for (let round = 1; round <= ROUNDS; round += 1) {
      const alone = await visits(port, () => sleep(ALONE_MS));
      const begun = performance.now();
      const beside = await visits(port, () =>
        backUp(join(dir, 'data'), join(dir, `${round}.tar.gz`)),
      );
      found.seconds.push((performance.now() - begun) / 1000);
      found.alone.push(spread(alone));
      found.beside.push(spread(beside));
      console.log(
        `round ${round}: p50, p99 alone ${text(spread(alone))} ms, during a backup ${text(spread(beside))} ms`,
      );
    }
    const of = (all: number[][], place: number) => median(all.map((one) => one[place] ?? NaN));
    const ratios = found.beside.map((one, i) => (one[1] ?? NaN) / (found.alone[i]?.[1] ?? NaN));
    report('backup', {
      ...{ links: LINKS, rate: RATE, rounds: ROUNDS, seconds: rounded(median(found.seconds), 1) },
      p50_ms: { alone: rounded(of(found.alone, 0)), beside: rounded(of(found.beside, 0)) },
      p99_ms: { alone: rounded(of(found.alone, 1)), beside: rounded(of(found.beside, 1)) },
      p99_ratio: rounded(median(ratios)),
    });
  } finally {
    if (service !== undefined) await end(service);
    rmSync(dir, { recursive: true, force: true });
  }
});

async function seed(dataDir: string): Promise<void> {
  const engine = new EmbeddedEngine({ dataDir, logger: quiet });
  await engine.start();
  const connection = await mongoose.createConnection(engine.uri(DATABASE)).asPromise();
  await storeLinks(connection, LINKS, () => ({}));
  await connection.close();
  await engine.stop();
}

/** Returns latencies of redirects that were due during the work, ascending, in milliseconds. */
async function visits(port: number, work: () => Promise<unknown>): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const latencies: number[] = [];
  const answers: Promise<void>[] = [];
  const over = new AbortController();
  const begun = performance.now();
  const worked = work().finally(() => {
    over.abort();
  });
  let sent = 0;
  while (!over.signal.aborted) {
    const due = Math.floor(((performance.now() - begun) / 1000) * RATE);
    for (; sent < due; sent += 1) {
      const at = begun + (sent / RATE) * 1000;
      answers.push(visit(port, agent).then(() => void latencies.push(performance.now() - at)));
    }
    await sleep(TICK_MS);
  }
  await worked;
  await Promise.all(answers);
  agent.destroy();
  return latencies.sort((a, b) => a - b);
}

function visit(port: number, agent: Agent): Promise<void> {
  const path = `/b${Math.floor(Math.random() * CLICKED)}`;
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent }, (answer) => {
      if (answer.statusCode !== 302) reject(new Error(`${path} is ${answer.statusCode}`));
      answer.resume().on('end', resolve);
    }).on('error', reject);
  });
}

async function backUp(dataDir: string, file: string): Promise<void> {
  const command = join(__dirname, '..', '..', 'program', 'cli', 'backup.js');
  const nice = ['-n', String(-AHEAD), process.execPath, command, file];
  const child = spawn('nice', nice, {
    env: { ...process.env, DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0 || !existsSync(file)) throw new Error('The backup was not created');
  rmSync(file);
}

function spread(sorted: number[]): number[] {
  return [percentile(sorted, 0.5), percentile(sorted, 0.99)];
}

function text(values: number[]): string {
  return values.map((ms) => ms.toFixed(2)).join(', ');
}
