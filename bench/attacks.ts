import { fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { size } from './support/flags';
import { percentile } from './support/load';
import { residentMb } from './support/pin';
import { report, rounded, runBench } from './support/report';
import { Stage } from './support/stage';

// A hostile client runs every attack for ten minutes. Measures another visitor's redirect
// latency, the web process's memory and descriptors, and availability.
const SECONDS = size('seconds', 600, 20);
/** Direct address without the proxy. Only the visitor has a separate client address. */
const DIRECT = process.argv.includes('--direct');
const LINKS = 1000;
const VISITS_PER_S = 50;
const PROTECTED = 10;
/** Idle time after the attacks, during which the service must release connections and buffers. */
const QUIET_MS = 5000;

runBench(async () => {
  const stage = await Stage.open();
  try {
    await stage.seedLinks(LINKS);
    const { process: service, port } = await stage.service({
      LOG_LEVEL: 'silent',
      ...(DIRECT ? { TRUST_PROXY: '' } : {}),
    });
    const heavy = await aLink(port, {});
    const protectedLinks = await Promise.all(
      Array.from({ length: PROTECTED }, () => aLink(port, { password: 'open-sesame.1' })),
    );
    const before = stateOf(service.pid ?? 0);
    const ms = SECONDS * 1000;
    const attackers = fork(join(__dirname, 'attacks', 'attackers.js'), [
      ...[String(port), String(ms), heavy, ...protectedLinks],
    ]);
    const flood = { isOver: false };
    const attacks = new Promise((resolve) => attackers.once('message', resolve)).finally(
      () => (flood.isOver = true),
    );
    const visitor = new Visitor(port);
    const samples: { mb: number; descriptors: number }[] = [];
    const until = Date.now() + ms;
    // A busy machine may need more time to finish the attackers' requests.
    for (let n = 0; Date.now() < until || !flood.isOver; n++) {
      void visitor.visit(`/b${randomInt(LINKS)}`);
      if (n % VISITS_PER_S === 0) samples.push(stateOf(service.pid ?? 0));
      await sleep(1000 / VISITS_PER_S);
    }
    const done = await attacks;
    await sleep(QUIET_MS);
    const after = stateOf(service.pid ?? 0);
    const health = await fetch(`http://127.0.0.1:${port}/health`);
    const third = Math.floor(samples.length / 3);
    report('attacks', {
      seconds: SECONDS,
      redirects: visitor.times.length,
      failed: visitor.failed,
      p50_ms: rounded(visitor.percentile(0.5)),
      p95_ms: rounded(visitor.percentile(0.95)),
      p99_ms: rounded(visitor.percentile(0.99)),
      max_ms: rounded(visitor.percentile(1)),
      memory_mb: {
        before: Math.round(before.mb),
        first_third: Math.round(highest(samples.slice(0, third), 'mb')),
        last_third: Math.round(highest(samples.slice(-third), 'mb')),
        most: Math.round(highest([...samples, after], 'mb')),
        after: Math.round(after.mb),
      },
      descriptors: {
        most: highest(samples, 'descriptors'),
        after: after.descriptors,
      },
      up: service.exitCode === null && health.status === 200,
      attacks: done,
    });
  } finally {
    await stage.close();
  }
});

class Visitor {
  readonly times: number[] = [];
  failed = 0;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 20 });
  private readonly address = { host: '127.0.0.1', localAddress: '127.0.0.2' };

  constructor(private readonly port: number) {}

  visit(path: string): Promise<void> {
    const begun = performance.now();
    return new Promise((resolve) => {
      const asked = request(
        { ...this.address, port: this.port, path, agent: this.agent, timeout: 30_000 },
        (answer) => {
          answer.resume();
          if (answer.statusCode === 302) this.times.push(performance.now() - begun);
          else this.failed++;
          resolve();
        },
      );
      asked.on('timeout', () => asked.destroy());
      asked.on('error', () => {
        this.failed++;
        resolve();
      });
      asked.end();
    });
  }

  percentile(share: number): number {
    return percentile(
      [...this.times].sort((a, b) => a - b),
      share,
    );
  }
}

async function aLink(port: number, body: object): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/shorten`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ long_url: 'https://example.com/target', ...body }),
  });
  return ((await answer.json()) as { alias: string }).alias;
}

function stateOf(pid: number): { mb: number; descriptors: number } {
  return { mb: residentMb(pid), descriptors: readdirSync(`/proc/${pid}/fd`).length };
}

function highest(samples: { mb: number; descriptors: number }[], key: 'mb' | 'descriptors') {
  return samples.reduce((most, sample) => Math.max(most, sample[key]), 0);
}
