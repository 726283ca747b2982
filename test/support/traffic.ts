import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { anAddress } from './http';
import { endAfterFile } from './left-running';
import { eventually } from './service';

const PATIENCE_MS = 8000;
const REFUSED_PAUSE_MS = 50;
/** Beyond the redirects that a test waits for, visits continue at this pace. */
const CALM = { afterRedirects: 200, pauseMs: 50 };

export interface Answer {
  status: number;
  body: string;
}

export class Traffic {
  readonly redirected = new Set<string>();
  readonly sent = new Set<string>();
  readonly made = new Set<string>();
  readonly statuses = new Map<number, number>();
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 32 });
  private readonly loops: Promise<void>[] = [];
  private going = true;
  private count = 0;
  private wanted = 0;

  constructor(
    private readonly port: number,
    readonly link: { id: string; alias: string },
    width = 8,
    private readonly pauseMs = 0,
  ) {
    for (let i = 0; i < width; i++) this.loops.push(this.keepVisiting());
    this.loops.push(this.keepShortening());
    endAfterFile(() => this.stop());
  }

  async moreRedirects(count: number): Promise<void> {
    const wanted = this.redirected.size + count;
    this.wanted = wanted;
    await eventually(`${count} more redirects`, () => this.redirected.size >= wanted);
  }

  /** Resolves when no request is pending. */
  async stop(): Promise<void> {
    this.going = false;
    await Promise.all(this.loops);
    this.agent.destroy();
  }

  private async keepVisiting(): Promise<void> {
    while (this.going) {
      const token = `t${this.count++}`;
      this.sent.add(token);
      const answer = await this.ask('GET', `/${this.link.alias}?utm_campaign=${token}`);
      if (answer?.status === 302) this.redirected.add(token);
      const isCalm = this.redirected.size > this.wanted + CALM.afterRedirects;
      const pauseMs = isCalm ? Math.max(this.pauseMs, CALM.pauseMs) : this.pauseMs;
      if (pauseMs > 0) await sleep(pauseMs);
    }
  }

  private async keepShortening(): Promise<void> {
    while (this.going) {
      const alias = `traffic-${this.count++}`;
      const input = JSON.stringify({ long_url: `https://example.com/${alias}`, alias });
      const answer = await this.ask('POST', '/api/v1/shorten', input);
      if (answer?.status === 201) this.made.add(alias);
      await sleep(50);
    }
  }

  private async ask(method: string, path: string, body?: string): Promise<Answer | null> {
    try {
      const answer = await send(this.agent, this.port, method, path, body);
      this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
      return answer;
    } catch {
      await sleep(REFUSED_PAUSE_MS);
      return null;
    }
  }
}

function send(
  agent: Agent,
  port: number,
  method: string,
  path: string,
  body?: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      'X-Forwarded-For': anAddress(),
      Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    };
    const options = { agent, host: '127.0.0.1', port, method, path, headers };
    const sending = request({ ...options, timeout: PATIENCE_MS }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
      response.on('error', reject);
    });
    sending.on('timeout', () => sending.destroy(new Error('no answer')));
    sending.on('error', reject);
    sending.end(body);
  });
}
