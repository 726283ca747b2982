import { createHash } from 'node:crypto';
import type { StatisticsMetrics } from '../statistics.calls';
import { AnswerCache, bytesOfRows } from './answer-cache';
import type { Dimension } from '../../click-engine/dimensions';
import { StatisticsAbandonedError, StatisticsBusyError } from './statistics.errors';
import type {
  BreakdownPage,
  OpenedResult,
  StatisticsReport,
  StatisticsResult,
  WithRange,
} from '../../click-engine/statistics-result';
import type { Asking, Metric, Source, StatisticsQuery } from '../../click-engine/statistics-query';
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

interface AskedQuery {
  /** Equal questions have the same; null for one that equals no other. */
  readonly key: string | null;
  readonly query: StatisticsQuery;
  readonly asking: Asking;
  readonly signal: AbortSignal | undefined;
}

/**
 * Exact statistics of recorded clicks, for all web processes of the machine. Its queue is bounded,
 * see QueryQueue; what is beyond its bounds is StatisticsBusyError.
 */
export class StatisticsEngine {
  private readonly queue = new QueryQueue();
  private readonly results = new AnswerCache<WithRange<StatisticsResult>>(bytesOfRows);
  private readonly reports = new AnswerCache<WithRange<StatisticsReport>>(
    ({ lists }) => lists.length,
  );
  private readonly opening = new Map<string, number>();
  private readonly files = new Map<number, OpenFile>();
  private counted = 0;
  private refused = 0;
  private countedMs = 0;

  constructor(private readonly thread: StatisticsThread) {}

  /** A result with at most `rows` rows a breakdown; its sums are over all of them. */
  count(
    source: Source,
    query: StatisticsQuery,
    rows: number,
    asking = ALONE,
    signal?: AbortSignal,
  ): Promise<WithRange<StatisticsResult>> {
    const question = { source, query, rows };
    const key = keyOf('count', question, asking.requestKey);
    return this.answered(this.results, { key, query, asking, signal }, (cancelled) =>
      this.thread.count('count', question, cancelled),
    );
  }

  /** The same with its lists written as JSON. */
  report(
    source: Source,
    query: StatisticsQuery,
    { rows, metrics }: { rows: number; metrics: readonly Metric[] },
    asking = ALONE,
    signal?: AbortSignal,
  ): Promise<WithRange<StatisticsReport>> {
    const question = { source, query, rows, metrics };
    const key = keyOf('report', question, asking.requestKey);
    return this.answered(this.reports, { key, query, asking, signal }, (cancelled) =>
      this.thread.count('report', question, cancelled),
    );
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
      const isRefusal = error instanceof StatisticsBusyError;
      if (isRefusal && !(error instanceof StatisticsAbandonedError)) this.refused += 1;
      throw error;
    }
  }

  private refuse(): StatisticsBusyError {
    this.refused += 1;
    return new StatisticsBusyError();
  }

  /** Counted, or kept of a moment ago where everybody may see it. */
  private async answered<T extends StatisticsResult | StatisticsReport>(
    kept: AnswerCache<WithRange<T>>,
    { key, query, asking, signal }: AskedQuery,
    count: (cancelled: AbortSignal) => Promise<T>,
  ): Promise<WithRange<T>> {
    const revision = asking.clicks ?? 0;
    const isKept = asking.isPublic && key !== null;
    const known = isKept ? kept.get(key, revision) : null;
    if (known !== null) return known;
    return this.queued(asking, signal, {
      key: key === null ? null : `${revision} ${key}`,
      run: async (cancelled) => {
        const begun = performance.now();
        const { start, end } = query;
        const answer = { ...(await count(cancelled)), range: { start, end } };
        if (isKept) kept.put(key, revision, answer, performance.now() - begun);
        return answer;
      },
    });
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

/** A short text that equal questions share: `requestKey` stands for their range and filters. */
function keyOf(
  topic: string,
  { query, ...question }: { readonly query: StatisticsQuery },
  requestKey: string | null,
): string | null {
  if (requestKey === null) return null;
  const { dimensions, underscored = null } = query;
  const text = JSON.stringify([topic, question, dimensions, underscored, requestKey]);
  return createHash('sha256').update(text).digest('base64');
}
