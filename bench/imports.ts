import { createWriteStream, openAsBlob, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { size } from './support/flags';
import { median } from './support/load';
import { childrenOf, processorMs, residentMb } from './support/pin';
import { report, rounded, runBench } from './support/report';
import { session, storeSession } from './support/session';
import { type RunningService, SECRET, Stage } from './support/stage';
import { redirectRound } from './support/wrk';

// Imports a YOURLS dump and checks a large CSV file. Measures wall and processor time per pass,
// the jobs process's memory, and the effect on redirects.
const LINKS = size('links', 100_000, 2000);
const CLICKS = size('clicks', 1_000_000, 20_000);
const ROWS = size('rows', 5_000_000, 20_000);
const ROUND_MS = size('ms', 4000, 1000);
const ROUNDS_ALONE = size('rounds', 5, 2);
const CONNECTIONS = size('connections', 10, 10);
const REDIRECTED = 1000;
const LOOK_MS = 250;
const PASS_MS = 3_600_000;
const PAGE_OF_LINES = 1000;

interface Found {
  state: string;
  counts: Record<string, number>;
  history: Record<string, number>;
  proof: Record<string, unknown> | null;
  error: unknown;
}

interface Pass {
  readonly seconds: number;
  readonly processorSeconds: number;
  readonly memoryMb: number;
  readonly found: Found;
}

runBench(async () => {
  const stage = await Stage.open();
  try {
    await stage.seedLinks(REDIRECTED);
    const limits = join(stage.dir, 'limits.json');
    const rows = ['create', 'read', 'run'].map((row) => [`imports.${row}`, 'off']);
    writeFileSync(limits, JSON.stringify(Object.fromEntries(rows)));
    const env = { LIMITS_FILE: limits, IMPORT_MAX_BYTES: String(4 * 2 ** 30) };
    const service = await stage.service(env);
    const owner = new mongoose.Types.ObjectId();
    await storeSession(stage.connection, owner);
    const imports = new Imports(service, session(owner.toHexString(), SECRET));
    const rates: number[] = [];
    const round = async (inTurn = false): Promise<number> => {
      const { p99Ms, perSecond } = await redirectRound({
        ...{ port: service.port, links: REDIRECTED, connections: CONNECTIONS, folder: stage.dir },
        ...{ ms: ROUND_MS, inTurn, restMs: inTurn ? 0 : 20 },
      });
      if (!inTurn) rates.push(perSecond);
      return p99Ms;
    };
    await round(true);
    const alone: number[] = [];
    for (let i = 0; i < ROUNDS_ALONE; i++) alone.push(await round());

    const dump = join(stage.dir, 'yourls.sql');
    await pipeline(Readable.from(yourls()), createWriteStream(dump));
    const id = await imports.send(dump, 'yourls_sql');
    const check = await imports.pass(id);
    await imports.run(id);
    const beside: number[] = [];
    const running = new AbortController();
    const [run] = await Promise.all([
      imports.pass(id).finally(() => running.abort()),
      (async () => {
        while (!running.signal.aborted) beside.push(await round());
      })(),
    ]);
    const csv = join(stage.dir, 'rows.csv');
    await pipeline(Readable.from(table()), createWriteStream(csv));
    const large = await imports.pass(await imports.send(csv, 'csv'));
    const [p99Alone, p99Beside] = [median(alone), median(beside)];
    report('imports', {
      ...{ links: LINKS, clicks: CLICKS },
      ...named('check', check),
      ...named('run', run),
      proof: run.found.proof,
      redirects_per_second: Math.round(median(rates)),
      redirects_p99_ms_alone: rounded(p99Alone),
      redirects_p99_ms_beside: rounded(p99Beside),
      redirects_p99_ratio: rounded(p99Beside / p99Alone),
      rows: ROWS,
      ...named('csv_check', large),
      csv_created: large.found.counts.created,
    });
    if (run.found.history.clicks !== CLICKS || large.found.counts.created !== ROWS) {
      throw new Error(`Not everything was imported: ${JSON.stringify([run.found, large.found])}`);
    }
  } finally {
    await stage.close();
  }
});

function named(name: string, { seconds, processorSeconds, memoryMb }: Pass): object {
  return {
    [`${name}_s`]: rounded(seconds, 1),
    [`${name}_jobs_processor_s`]: rounded(processorSeconds, 1),
    [`${name}_jobs_memory_mb`]: Math.round(memoryMb),
  };
}

class Imports {
  constructor(
    private readonly service: RunningService,
    private readonly token: string,
  ) {}

  async send(file: string, source: string): Promise<string> {
    const body = new FormData();
    body.set('source', source);
    body.set('file', await openAsBlob(file), 'file');
    const { id } = (await this.call('', { method: 'POST', body })) as { id: string };
    return id;
  }

  async run(id: string): Promise<void> {
    const headers = { 'Content-Type': 'application/json' };
    await this.call(`/${id}/run`, { method: 'POST', body: '{}', headers });
  }

  async pass(id: string): Promise<Pass> {
    const begun = performance.now();
    const before = this.processor();
    let memoryMb = 0;
    for (;;) {
      await sleep(LOOK_MS);
      const pid = this.jobsPid();
      if (pid !== undefined) memoryMb = Math.max(memoryMb, residentMb(pid));
      const found = (await this.call(`/${id}`, {})) as Found;
      const seconds = (performance.now() - begun) / 1000;
      if (found.state === 'failed' || seconds * 1000 > PASS_MS) {
        throw new Error(JSON.stringify(found));
      }
      if (found.state !== 'done') continue;
      const processorSeconds = (this.processor() - before) / 1000;
      return { seconds, processorSeconds, memoryMb, found };
    }
  }

  private processor(): number {
    const pid = this.jobsPid();
    return pid === undefined ? 0 : processorMs(pid);
  }

  private jobsPid(): number | undefined {
    return childrenOf(this.service.process.pid ?? 0).find((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('jobs.process'),
    );
  }

  private async call(path: string, init: RequestInit): Promise<unknown> {
    const headers = new Headers(init.headers);
    headers.set('Authorization', `Bearer ${this.token}`);
    const url = `http://127.0.0.1:${this.service.port}/api/v1/imports${path}`;
    const answer = await fetch(url, { ...init, headers });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }
}

/** A dump in mysqldump's order: clicks, ascending by time, precede the links. */
function* yourls(): Generator<string> {
  const log =
    'INSERT INTO `yourls_log` (`click_id`,`click_time`,`shorturl`,`referrer`,`user_agent`,`ip_address`,`country_code`) VALUES ';
  yield* inserts(log, CLICKS, (i) => {
    const time = new Date(Date.UTC(2022, 0, 1) + i * 60_000).toISOString().slice(0, 19);
    const address = `203.${i % 113}.${(i >> 8) % 256}.${i % 256}`;
    return `(${i},'${time.replace('T', ' ')}','y${(i * 7919) % LINKS}','https://news.example/','Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/120.0 Safari/537.36','${address}','FR')`;
  });
  const url =
    'INSERT INTO `yourls_url` (`keyword`,`url`,`title`,`timestamp`,`ip`,`clicks`) VALUES ';
  yield* inserts(
    url,
    LINKS,
    (i) =>
      `('y${i}','https://example.com/target/${i}','Title ${i}','2021-01-01 00:00:00','203.0.113.1',0)`,
  );
}

function* inserts(head: string, count: number, row: (i: number) => string): Generator<string> {
  for (let from = 0; from < count; from += PAGE_OF_LINES) {
    const length = Math.min(PAGE_OF_LINES, count - from);
    yield `${head}${Array.from({ length }, (_, i) => row(from + i)).join(',')};\n`;
  }
}

function* table(): Generator<string> {
  yield 'alias,url,title\n';
  for (let from = 0; from < ROWS; from += PAGE_OF_LINES) {
    const length = Math.min(PAGE_OF_LINES, ROWS - from);
    const line = (i: number): string => `c${i},https://example.com/target/${i},Title ${i}\n`;
    yield Array.from({ length }, (_, i) => line(from + i)).join('');
  }
}
