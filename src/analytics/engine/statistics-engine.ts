import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { AnswerCache } from './answer-cache';
import type { Dimension } from '../dimensions';
import { StatisticsBusyError } from './statistics.errors';
import type { BreakdownHead, CountedResult, Summary } from './statistics-result';
import type { Source, StatisticsQuery } from './statistics-query';
import { type StatisticsClient, QueryQueue } from './query-queue';
import { StatisticsThread } from './statistics-thread';

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
export interface QueryContext {
  client: StatisticsClient;
  /**
   * Range and filters as they were given: two queries with one key are the same although `now` is
   * another moment for each. Null for one that equals no other.
   */
  requestKey: string | null;
  /** Clicks that the link is known to have; null where the scope is not one link. */
  clicks: number | null;
  /** Everybody may see it, so its answer is kept for some seconds. */
  isPublic: boolean;
}

/** Small enough that writing a page of any format holds the web thread for a few milliseconds. */
const PAGE_ROWS = 500;
/** Rows of an answer that is no file (docs/contract.md#9.3 and docs/contract.md#13.3). */
export const MOST_ROWS = 1000;
/** Queries about more clicks than this take turns with the others. */
const LARGE = 100_000;
/** Files of one client that are written at one time. */
const FILES_OF_CLIENT = 4;

const ALONE: QueryContext = {
  client: { key: '' },
  requestKey: null,
  clicks: null,
  isPublic: false,
};

/**
 * Exact statistics of recorded clicks, counted away from the thread that answers redirects. Its
 * queue is bounded, see QueryQueue; what is beyond its bounds is StatisticsBusyError.
 */
@Injectable()
export class StatisticsEngine {
  private readonly queue = new QueryQueue();
  private readonly answers = new AnswerCache();
  private readonly files = new Map<string, number>();

  constructor(private readonly thread: StatisticsThread) {}

  /** A result with at most `rows` rows a breakdown; its sums are over all of them. */
  async count(
    source: Source,
    query: StatisticsQuery,
    rows: number,
    context = ALONE,
  ): Promise<CountedResult> {
    const key = keyOf(source, query, rows, context.requestKey);
    const revision = context.clicks ?? 0;
    const kept = context.isPublic && key !== null ? this.answers.get(key, revision) : null;
    if (kept !== null) return kept;
    return this.queue.add(context.client, {
      key: key === null ? null : `${revision} ${key}`,
      large: isLarge(context),
      run: async (signal) => {
        const begun = performance.now();
        const result = await this.thread.count('count', { source, query, rows }, signal);
        const { start, end } = query;
        const counted = { ...result, range: { start, end } };
        if (context.isPublic && key !== null) {
          this.answers.put(key, revision, counted, performance.now() - begun);
        }
        return counted;
      },
    });
  }

  /** A result of any size, for files. */
  async open(source: Source, query: StatisticsQuery, context = ALONE): Promise<OpenResult> {
    const { key: client } = context.client;
    const files = this.files.get(client) ?? 0;
    if (files >= FILES_OF_CLIENT) throw new StatisticsBusyError();
    this.files.set(client, files + 1);
    try {
      const { cursorId, summary, heads } = await this.queue.add(context.client, {
        key: null,
        large: isLarge(context),
        run: (signal) => this.opened(source, query, signal),
      });
      return {
        summary,
        heads,
        rows: (dimension) => this.pages(cursorId, dimension),
        close: async () => {
          this.fileDone(client);
          await this.thread.call('release', { cursorId });
        },
      };
    } catch (error) {
      this.fileDone(client);
      throw error;
    }
  }

  /** What a client that has gone meanwhile opened is released at once. */
  private async opened(source: Source, query: StatisticsQuery, signal: AbortSignal) {
    const opened = await this.thread.count('open', { source, query }, signal);
    if (signal.aborted) await this.thread.call('release', { cursorId: opened.cursorId });
    return opened;
  }

  private fileDone(client: string): void {
    const left = (this.files.get(client) ?? 1) - 1;
    if (left === 0) this.files.delete(client);
    else this.files.set(client, left);
  }

  private async *pages(cursorId: number, dimension: Dimension): AsyncGenerator<ResultRow[]> {
    for (let from = 0; ;) {
      const request = { cursorId, dimension, from, count: PAGE_ROWS };
      const { labels, clicks, visitors } = await this.thread.call('rows', request);
      if (labels.length === 0) return;
      from += labels.length;
      yield labels.map((label, i) => ({
        label,
        clicks: clicks[i] ?? 0,
        visitors: visitors[i] ?? 0,
      }));
    }
  }
}

function isLarge({ clicks }: QueryContext): boolean {
  return clicks === null || clicks > LARGE;
}

/** A short text that equal queries share. */
function keyOf(
  source: Source,
  { dimensions, underscored }: StatisticsQuery,
  rows: number,
  requestKey: string | null,
): string | null {
  if (requestKey === null) return null;
  const text = JSON.stringify([source, dimensions, underscored ?? null, rows, requestKey]);
  return createHash('sha256').update(text).digest('base64');
}
