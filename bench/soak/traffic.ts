import { randomInt } from 'node:crypto';
import { Agent, request } from 'node:http';
import { session } from '../support/session';

export const KINDS = ['redirect', 'shorten', 'list', 'statistics', 'export'] as const;
export type Kind = (typeof KINDS)[number];

const RATES: Record<Kind, number> = {
  redirect: 3000,
  shorten: 20,
  list: 20,
  statistics: 20,
  export: 2,
};
const EXPECTED: Record<Kind, number> = {
  redirect: 302,
  shorten: 201,
  list: 200,
  statistics: 200,
  export: 200,
};
const TICK_MS = 20;
const MOST_UNDER_WAY = 200;
const PATIENCE_MS = 20_000;
const CHROME = 'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 Chrome/120.0 Safari/537.36';

export interface TrafficOptions {
  port: number;
  links: number;
  accounts: readonly string[];
  secret: string;
}

export interface Minute {
  latencies: Record<Kind, number[]>;
  unexpected: number;
  /** Number of requests without a response, because a process was killed or none was listening. */
  unanswered: number;
}

/**
 * Sends requests at a fixed rate, regardless of response times. Counts redirects per link, and
 * visits without a response, which may or may not be clicks.
 */
export class Traffic {
  readonly answered: Uint32Array;
  readonly unanswered: Uint32Array;
  readonly minutes: Minute[] = [];
  skipped = 0;
  readonly unexpected = new Map<string, number>();
  private readonly agent = new Agent({ keepAlive: true, maxSockets: MOST_UNDER_WAY });
  private readonly due = new Map<Kind, number>();
  private underWay = 0;
  private timer?: NodeJS.Timeout;
  private begun = 0;
  private ticks = 0;
  private count = 0;

  constructor(private readonly options: TrafficOptions) {
    this.answered = new Uint32Array(options.links);
    this.unanswered = new Uint32Array(options.links);
  }

  start(): void {
    this.begun = performance.now();
    this.timer = setInterval(() => this.tick(), TICK_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    while (this.underWay > 0) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    this.agent.destroy();
  }

  private tick(): void {
    // Catches up on ticks missed while this process was blocked.
    const ticks = Math.floor((performance.now() - this.begun) / TICK_MS);
    const passed = Math.min(ticks - this.ticks, 50);
    this.ticks = ticks;
    for (const kind of KINDS) {
      let due = (this.due.get(kind) ?? 0) + (RATES[kind] * TICK_MS * passed) / 10_000;
      for (; due >= 1; due--) this.send(kind);
      this.due.set(kind, due);
    }
  }

  private minute(): Minute {
    const at = Math.floor((performance.now() - this.begun) / 60_000);
    while (this.minutes.length <= at) {
      const latencies = { redirect: [], shorten: [], list: [], statistics: [], export: [] };
      this.minutes.push({ latencies, unexpected: 0, unanswered: 0 });
    }
    return this.minutes[at] as Minute;
  }

  private send(kind: Kind): void {
    if (this.underWay >= MOST_UNDER_WAY) {
      this.skipped++;
      return;
    }
    this.underWay++;
    const link = randomInt(this.options.links);
    const { path, method = 'GET', headers = {}, body } = this.requestOf(kind, link);
    const sent = performance.now();
    let done = false;
    const end = (status: number | null): void => {
      if (done) return;
      done = true;
      this.underWay--;
      this.note(kind, link, status, performance.now() - sent);
    };
    const asking = request({
      ...{ host: '127.0.0.1', port: this.options.port, agent: this.agent, path, method },
      timeout: PATIENCE_MS,
      headers: {
        'User-Agent': CHROME,
        'X-Forwarded-For': `203.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`,
        ...headers,
        ...(body !== undefined && {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
        }),
      },
    });
    asking.on('response', (answer) => {
      // Status and headers are enough, because the click happened before the response.
      if (kind === 'redirect') end(answer.statusCode ?? null);
      answer.resume();
      answer.once('end', () => end(answer.statusCode ?? null));
      answer.once('error', () => end(null));
      answer.once('close', () => end(null));
    });
    asking.once('timeout', () => asking.destroy());
    asking.once('error', () => end(null));
    asking.end(body);
  }

  private note(kind: Kind, link: number, status: number | null, ms: number): void {
    const minute = this.minute();
    if (status === EXPECTED[kind]) minute.latencies[kind].push(ms);
    else if (status === null) minute.unanswered++;
    else {
      minute.unexpected++;
      const what = `${kind} ${status}`;
      this.unexpected.set(what, (this.unexpected.get(what) ?? 0) + 1);
    }
    if (kind !== 'redirect') return;
    const counts = status === 302 ? this.answered : this.unanswered;
    // A refused visit is not a click; a visit without a response may be one.
    if (status === 302 || status === null) counts[link] = (counts[link] ?? 0) + 1;
  }

  private requestOf(
    kind: Kind,
    link: number,
  ): { path: string; method?: string; headers?: Record<string, string>; body?: string } {
    const { accounts, secret } = this.options;
    const account = accounts[this.count++ % accounts.length] ?? '';
    const headers = { Authorization: `Bearer ${session(account, secret)}` };
    switch (kind) {
      case 'redirect':
        return { path: `/b${link}` };
      case 'shorten': {
        const body = JSON.stringify({ long_url: `https://example.com/soak/${this.count}` });
        return { path: '/api/v1/shorten', method: 'POST', headers, body };
      }
      case 'list': {
        const sortBy = ['created_at', 'last_click', 'total_clicks'][this.count % 3] ?? '';
        const filter = encodeURIComponent(JSON.stringify({ search: String(link % 100) }));
        return { path: `/api/v1/urls?sortBy=${sortBy}&filter=${filter}`, headers };
      }
      case 'statistics':
        return { path: '/api/v1/stats?scope=all&group_by=time,country,browser', headers };
      case 'export':
        return { path: '/api/v1/export?format=csv&scope=all', headers };
    }
  }
}
