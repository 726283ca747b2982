import { createHash } from 'node:crypto';
import type { StatisticsMetrics } from '../../metrics/metrics';
import { AnswerCache } from './answer-cache';
import type { Dimension } from '../dimensions';
import { StatisticsBusyError } from './statistics.errors';
import type { BreakdownPage, CountedResult, OpenedResult } from './statistics-result';
import type { Asking, Source, StatisticsQuery } from './statistics-query';
import { QueryQueue } from './query-queue';
import type { StatisticsThread } from './statistics-thread';

/** Queries about more clicks than this take turns with the others. */
const LARGE = 100_000;
/** Files of one client that are written at one time. */
const FILES_OF_CLIENT = 4;
/** Twice as long as the thread holds what nobody reads: the reader has died without a word. */
const FILE_IDLE_MS = 120_000;

const ALONE: Asking = { client: '', requestKey: null, clicks: null, isPublic: false };

interface OpenFile {
  client: string;
  readAt: number;
}

/**
 * Exact statistics of recorded clicks, for all web processes of the machine. Its queue is bounded,
 * see QueryQueue; what is beyond its bounds is StatisticsBusyError.
 */
export class StatisticsEngine {
  private readonly queue = new QueryQueue();
  private readonly answers = new AnswerCache();
  private readonly opening = new Map<string, number>();
  private readonly files = new Map<number, OpenFile>();
  private counted = 0;
  private refused = 0;
  private countedMs = 0;

  constructor(private readonly thread: StatisticsThread) {}

  /** A result with at most `rows` rows a breakdown; its sums are over all of them. */
  async count(
    source: Source,
    query: StatisticsQuery,
    rows: number,
    asking = ALONE,
    signal?: AbortSignal,
  ): Promise<CountedResult> {
    const key = keyOf(source, query, rows, asking.requestKey);
    const revision = asking.clicks ?? 0;
    const kept = asking.isPublic && key !== null ? this.answers.get(key, revision) : null;
    if (kept !== null) return kept;
    return this.queued(asking, signal, {
      key: key === null ? null : `${revision} ${key}`,
      run: async (cancelled) => {
        const begun = performance.now();
        const result = await this.thread.count('count', { source, query, rows }, cancelled);
        const { start, end } = query;
        const counted = { ...result, range: { start, end } };
        if (asking.isPublic && key !== null) {
          this.answers.put(key, revision, counted, performance.now() - begun);
        }
        return counted;
      },
    });
  }

  /** A result of any size, for files; to be released. */
  async open(
    source: Source,
    query: StatisticsQuery,
    asking = ALONE,
    signal?: AbortSignal,
  ): Promise<OpenedResult> {
    const { client } = asking;
    if (this.filesOf(client) >= FILES_OF_CLIENT) throw this.refuse();
    this.opening.set(client, (this.opening.get(client) ?? 0) + 1);
    try {
      const opened = await this.queued(asking, signal, {
        key: null,
        run: (cancelled) => this.opened(source, query, cancelled),
      });
      this.files.set(opened.cursorId, { client, readAt: Date.now() });
      return opened;
    } finally {
      const left = (this.opening.get(client) ?? 1) - 1;
      if (left === 0) this.opening.delete(client);
      else this.opening.set(client, left);
    }
  }

  /** Rows of an opened result from a position on; none at its end. */
  rows(
    cursorId: number,
    dimension: Dimension,
    from: number,
    count: number,
  ): Promise<BreakdownPage> {
    const file = this.files.get(cursorId);
    if (file !== undefined) file.readAt = Date.now();
    return this.thread.call('rows', { cursorId, dimension, from, count });
  }

  async release(cursorId: number): Promise<void> {
    this.files.delete(cursorId);
    await this.thread.call('release', { cursorId });
  }

  async status(): Promise<StatisticsMetrics> {
    return {
      counted: this.counted,
      refused: this.refused,
      countedMs: this.countedMs,
      waiting: this.queue.size,
      heldBytes: await this.thread.heldBytes(),
    };
  }

  private async queued<T>(
    asking: Asking,
    signal: AbortSignal | undefined,
    { key, run }: { key: string | null; run: (signal: AbortSignal) => Promise<T> },
  ): Promise<T> {
    const timed = async (cancelled: AbortSignal): Promise<T> => {
      const begun = performance.now();
      try {
        return await run(cancelled);
      } finally {
        this.counted += 1;
        this.countedMs += performance.now() - begun;
      }
    };
    try {
      const client = { key: asking.client, signal };
      return await this.queue.add(client, { key, large: isLarge(asking), run: timed });
    } catch (error) {
      if (error instanceof StatisticsBusyError) this.refused += 1;
      throw error;
    }
  }

  private refuse(): StatisticsBusyError {
    this.refused += 1;
    return new StatisticsBusyError();
  }

  /** What a client that has gone meanwhile opened is released at once. */
  private async opened(source: Source, query: StatisticsQuery, signal: AbortSignal) {
    const opened = await this.thread.count('open', { source, query }, signal);
    if (signal.aborted) await this.thread.call('release', { cursorId: opened.cursorId });
    return opened;
  }

  private filesOf(client: string): number {
    const oldest = Date.now() - FILE_IDLE_MS;
    let files = this.opening.get(client) ?? 0;
    for (const [cursorId, file] of this.files) {
      if (file.readAt < oldest) this.files.delete(cursorId);
      else if (file.client === client) files += 1;
    }
    return files;
  }
}

function isLarge({ clicks }: Asking): boolean {
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
