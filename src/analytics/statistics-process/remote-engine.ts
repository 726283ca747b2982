import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DatabaseUnavailableError } from '../../common/errors';
import type { StatisticsCalls } from '../statistics.calls';
import { PrimaryClient } from '../../processes/rpc/primary-client';
import {
  RpcError,
  RpcFailure,
  type RpcRequest,
  type RpcResponse,
  type Topic,
} from '../../processes/rpc/rpc';
import type { Dimension } from '../../click-engine/dimensions';
import type { StatisticsClient } from './query-queue';
import type { Asking, Metric, Source, StatisticsQuery } from '../../click-engine/statistics-query';
import type {
  BreakdownHead,
  BreakdownPage,
  OpenedResult,
  StatisticsReport,
  StatisticsResult,
  Summary,
  WithRange,
} from '../../click-engine/statistics-result';
import {
  StatisticsAbandonedError,
  StatisticsBusyError,
  StatisticsFailedError,
  StatisticsSlowError,
  StatisticsUnavailableError,
} from './statistics.errors';

/** One row of a breakdown. */
export interface ResultRow {
  label: string;
  clicks: number;
  visitors: number;
}

/** Uncut results; `close` must be called when they are no longer read. */
export interface OpenResult {
  summary: Summary;
  heads: Partial<Record<Dimension, BreakdownHead>>;
  rows(dimension: Dimension): AsyncGenerator<ResultRow[]>;
  close(): Promise<void>;
}

/** Who is waiting, and what is known of the query before it is counted. */
export interface QueryContext extends Omit<Asking, 'client'> {
  client: StatisticsClient;
}

type Asked = Exclude<Topic<StatisticsCalls>, 'status'>;
type Countable = 'count' | 'report' | 'open';

/** Small enough that writing a page of any format holds the web thread for a few milliseconds. */
const PAGE_ROWS = 500;
/** Rows that are fetched at a time: some 200 KB, which hold the web thread for a millisecond. */
const FETCHED_ROWS = 4000;
/** Longer than anything waits or is counted there, so that it only catches a process that hangs. */
const CALL_MS = 120_000;

/**
 * The statistics process of this machine, as a web process asks it: through the primary, which
 * starts it with the first question. Whatever goes wrong there is an error here: 503 when it has
 * ended, the database is away, too much is asked or nobody waits any more, else 500.
 */
@Injectable()
export class RemoteEngine {
  /** Tells the calls of this process apart from those of all others. */
  private readonly name = randomBytes(9).toString('base64url');
  private calls = 0;

  constructor(private readonly primary: PrimaryClient) {}

  /** A result with at most `rows` rows a breakdown; its sums are over all of them. */
  count(
    source: Source,
    query: StatisticsQuery,
    rows: number,
    { client, ...asking }: QueryContext,
  ): Promise<WithRange<StatisticsResult>> {
    const request = { source, query, rows, asking: plain(asking, client) };
    return this.cancellable('count', request, client.signal);
  }

  /** The same with its lists written as JSON, which takes longer to write than to send. */
  report(
    source: Source,
    query: StatisticsQuery,
    { rows, metrics }: { rows: number; metrics: readonly Metric[] },
    { client, ...asking }: QueryContext,
  ): Promise<WithRange<StatisticsReport>> {
    const request = { source, query, rows, metrics, asking: plain(asking, client) };
    return this.cancellable('report', request, client.signal);
  }

  /** A result of any size, for files. */
  async open(
    source: Source,
    query: StatisticsQuery,
    { client, ...asking }: QueryContext,
  ): Promise<OpenResult> {
    const request = { source, query, asking: plain(asking, client) };
    const { cursorId, summary, heads } = await this.cancellable('open', request, client.signal);
    return {
      summary,
      heads,
      rows: (dimension) => this.pages(cursorId, dimension),
      close: () => this.release(cursorId),
    };
  }

  /** Rejects as soon as the signal is aborted; what is counted by then is given up there. */
  private async cancellable<T extends Countable>(
    topic: T,
    request: Omit<RpcRequest<StatisticsCalls, T>, 'call'>,
    signal?: AbortSignal,
  ): Promise<RpcResponse<StatisticsCalls, T>> {
    if (signal?.aborted === true) throw new StatisticsAbandonedError();
    this.calls += 1;
    const call = `${this.name}.${this.calls}`;
    const asked = this.call(topic, { ...request, call } as RpcRequest<StatisticsCalls, T>);
    let leave: (() => void) | undefined;
    const left = new Promise<never>((_, reject) => {
      leave = () => {
        this.call('cancel', { call }).catch(() => undefined);
        // It may have been opened before the cancelling arrived.
        asked.then(
          (answer) => {
            if (topic === 'open') void this.release((answer as OpenedResult).cursorId);
          },
          () => undefined,
        );
        reject(new StatisticsAbandonedError());
      };
      signal?.addEventListener('abort', leave, { once: true });
    });
    try {
      return await Promise.race([asked, left]);
    } finally {
      if (leave !== undefined) signal?.removeEventListener('abort', leave);
    }
  }

  /** What cannot be released now is, when nobody has read it for a minute. */
  private async release(cursorId: number): Promise<void> {
    await this.call('release', { cursorId }).catch(() => undefined);
  }

  private async *pages(cursorId: number, dimension: Dimension): AsyncGenerator<ResultRow[]> {
    const fetch = (from: number): Promise<BreakdownPage> => {
      const fetched = this.call('rows', { cursorId, dimension, from, count: FETCHED_ROWS });
      // Whoever reads on hears of it; a reader that has stopped does not.
      fetched.catch(() => undefined);
      return fetched;
    };
    let next = fetch(0);
    for (let from = 0; ;) {
      const { labels, clicks, visitors } = await next;
      if (labels.length === 0) return;
      from += labels.length;
      // Fetched while these are written.
      next = fetch(from);
      for (let first = 0; first < labels.length; first += PAGE_ROWS) {
        yield labels.slice(first, first + PAGE_ROWS).map((label, i) => ({
          label,
          clicks: clicks[first + i] ?? 0,
          visitors: visitors[first + i] ?? 0,
        }));
      }
    }
  }

  private async call<T extends Asked>(
    topic: T,
    request: RpcRequest<StatisticsCalls, T>,
  ): Promise<RpcResponse<StatisticsCalls, T>> {
    try {
      const answer = await this.primary.call(`statistics.${topic}`, request as never, CALL_MS);
      return answer as RpcResponse<StatisticsCalls, T>;
    } catch (error) {
      throw errorOf(error);
    }
  }
}

function plain(
  { requestKey, clicks, isPublic }: Omit<Asking, 'client'>,
  { key }: StatisticsClient,
): Asking {
  return { client: key, requestKey, clicks, isPublic };
}

function errorOf(error: unknown): unknown {
  if (!(error instanceof RpcError) && !(error instanceof RpcFailure)) return error;
  const kind = error instanceof RpcError ? error.kind : 'failed';
  if (error.code === 'database') return new DatabaseUnavailableError(error);
  if (error.code === 'slow') return new StatisticsSlowError();
  if (error.code === 'busy' || kind === 'timeout') return new StatisticsBusyError();
  if (error.code === 'gone' || kind === 'gone') return new StatisticsUnavailableError(error);
  return new StatisticsFailedError(error);
}
