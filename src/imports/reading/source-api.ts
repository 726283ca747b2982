import { createHash } from 'node:crypto';
import { appendFile, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DAY_MS } from '../../common/time';
import type { OutboundAnswer, OutboundClient } from '../../infrastructure/outbound/outbound.client';
import { OutboundError, type OutboundFailure } from '../../infrastructure/outbound/outbound.errors';
import { CredentialRefusedError, SourceAnswerError, SourceTrouble } from './source.errors';
import { parseJsonBytes } from './json-answer';

/** Maximum bytes stored per step; a retry requests any responses beyond that again. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** Stores API responses, so that a repeated step reuses them and requests only the rest. */
export class KeptAnswers {
  private bytes = 0;
  private written: Promise<void> = Promise.resolve();

  private constructor(
    private readonly path: string,
    private readonly step: string,
    private readonly known: ReadonlyMap<string, unknown>,
  ) {}

  /** Opens the step's stored responses at this cursor; deletes those for other steps. */
  static async open(path: string, cursor: unknown): Promise<KeptAnswers> {
    const step = createHash('sha256').update(JSON.stringify(cursor)).digest('hex');
    const text = await readFile(path, 'utf8').catch(() => '');
    const [head, ...lines] = text.split('\n');
    if (head === step) return new KeptAnswers(path, step, new Map(lines.flatMap(parseEntry)));
    if (text !== '') await rm(path, { force: true });
    return new KeptAnswers(path, step, new Map());
  }

  has(question: string): boolean {
    return this.known.has(question);
  }

  get(question: string): unknown {
    return this.known.get(question);
  }

  /** Resolves once the response is stored; rejects if it cannot be stored. */
  keep(question: string, answer: unknown): Promise<void> {
    const line = `\n${JSON.stringify([question, answer])}`;
    this.written = this.written.then(async () => {
      if (this.bytes === 0 && this.known.size === 0) await this.begin();
      this.bytes += line.length;
      if (this.bytes <= MAX_KEPT_BYTES) await appendFile(this.path, line);
    });
    return this.written;
  }

  private async begin(): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    await rm(this.path, { force: true });
    await appendFile(this.path, this.step, { mode: 0o600 });
  }
}

/** A killed process may have truncated the last line. */
function parseEntry(line: string): [string, unknown][] {
  try {
    return [JSON.parse(line) as [string, unknown]];
  } catch {
    return [];
  }
}

/** Maximum bytes per response (docs/contract.md#17.3). */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** Concurrent requests per import (docs/contract.md#22.6). */
const MAX_REQUESTS = 4;
/** Statuses for a resource that was deleted or is not included in the account's plan. */
const ABSENT_STATUSES: readonly number[] = [402, 403, 404];

/** Temporary failures; anything else is a fault in the address or the service. */
const PASSING: readonly OutboundFailure[] = [
  'unknown_host',
  'unreachable',
  'certificate',
  'timeout',
  'broken',
];

export type Query = Readonly<Record<string, string | number>>;

export interface SourceApiOptions {
  readonly outbound: OutboundClient;
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly kept: KeptAnswers;
  readonly signal: AbortSignal;
}

export class SourceApi {
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  private readonly underWay = new Set<Promise<unknown>>();
  private isEnded = false;
  private fresh = 0;

  constructor(private readonly options: SourceApiOptions) {}

  get host(): string {
    return new URL(this.options.baseUrl).hostname;
  }

  get origin(): string {
    return new URL(this.options.baseUrl).origin;
  }

  /** Whether the service has sent a response in this step; stored responses do not count. */
  get hasAnswered(): boolean {
    return this.fresh > 0;
  }

  /** Number of responses in this step, without stored ones. */
  get responses(): number {
    return this.fresh;
  }

  /** @throws SourceTrouble if a retry may succeed, otherwise CurtailError */
  async json(path: string, query: Query = {}): Promise<unknown> {
    return this.ask(path, query, []);
  }

  /** Null if the resource was deleted or is not included in the plan. */
  async jsonIfAny(path: string, query: Query = {}): Promise<unknown> {
    return this.ask(path, query, ABSENT_STATUSES);
  }

  /** Bypasses stored responses: a repeated step sends the request again. */
  currentJson(path: string): Promise<unknown> {
    return this.valueAt(path, ABSENT_STATUSES);
  }

  shapeError(problem = 'did not respond as its API documentation specifies'): SourceAnswerError {
    return new SourceAnswerError(this.host, problem);
  }

  private async ask(path: string, query: Query, absent: readonly number[]): Promise<unknown> {
    const { kept } = this.options;
    const texts = Object.entries(query).map(([name, value]): [string, string] => [
      name,
      `${value}`,
    ]);
    const question = [path, new URLSearchParams(texts).toString()].filter(Boolean).join('?');
    if (kept.has(question)) return kept.get(question);
    const value = await this.valueAt(question, absent);
    this.fresh++;
    await kept.keep(question, value);
    return value;
  }

  private async valueAt(question: string, absent: readonly number[]): Promise<unknown> {
    const base = this.options.baseUrl.replace(/\/+$/, '');
    const answer = await this.inTurn(() => this.request(base + question));
    return absent.includes(answer.status) ? null : this.readAnswer(answer);
  }

  private async request(url: string): Promise<OutboundAnswer> {
    const { outbound, headers, signal } = this.options;
    try {
      const requestHeaders = { Accept: 'application/json', ...headers };
      return await outbound.request({
        url,
        headers: requestHeaders,
        maxBytes: MAX_ANSWER_BYTES,
        signal,
      });
    } catch (error) {
      if (!(error instanceof OutboundError) || error.failure === 'cancelled') throw error;
      if (PASSING.includes(error.failure)) throw new SourceTrouble(error.message);
      throw this.shapeError(error.message.slice(error.host.length + 1));
    }
  }

  private readAnswer({ status, headers, body }: OutboundAnswer): unknown {
    if (status === 401 || status === 403) {
      throw new CredentialRefusedError(`${this.host} does not accept the credential`);
    }
    const asksForPause = status === 429 || status === 503;
    if (asksForPause || status >= 500) {
      const problem =
        status === 429 ? 'received too many requests' : `returned the status ${status}`;
      const waitMs = asksForPause ? parseRetryAfter(headers['retry-after']) : null;
      throw new SourceTrouble(`${this.host} ${problem}`, waitMs);
    }
    if (status < 200 || status >= 300) throw this.shapeError(`returned the status ${status}`);
    const value = parseJsonBytes(body);
    if (value === undefined) throw this.shapeError('did not return JSON');
    return value;
  }

  /** Aborts pending requests and resolves once all of them have ended. */
  async end(): Promise<void> {
    this.isEnded = true;
    for (const take of this.waiting.splice(0)) take();
    await Promise.allSettled(this.underWay);
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < MAX_REQUESTS) this.running++;
    // A finished request hands its slot over to the next waiting request.
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    const pending = this.isEnded ? Promise.reject(new SourceTrouble('The step has ended')) : work();
    this.underWay.add(pending);
    try {
      return await pending;
    } finally {
      this.underWay.delete(pending);
      const next = this.waiting.shift();
      if (next === undefined) this.running--;
      else next();
    }
  }
}

/** Returns Retry-After in milliseconds, clamped to 1 second to 1 day; null if unreadable. */
function parseRetryAfter(header: string | undefined): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 1000), DAY_MS);
}
