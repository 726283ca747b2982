import { createHash } from 'node:crypto';
import {
  type BreakdownPage,
  Cancellation,
  type Dimension,
  type Metric,
  type OpenedResult,
  type StatisticsReport,
  type StatisticsResult,
  type WithRange,
} from '../../engines/click-engine/query/statistics-query';
import { FairQueue, type QueueRefusal } from '../../processes/fair-queue';
import { MAX_TITLES, reportLists } from '../report/report-lists';
import type { SentQuestion, StatisticsMetrics } from '../engine/statistics-engine';
import { AnswerCache, bytesOfRows } from './answer-cache';
import { watchCancelledQuery } from './cancelled-query';
import type { CountingEngine, StartedEngine } from './counting-engine';
import {
  StatisticsAbandonedError,
  StatisticsBusyError,
  toStatisticsError,
  StatisticsLoadingError,
  StatisticsSlowError,
} from './statistics.errors';

/** Queries that count more clicks wait in a separate lane and take turns with smaller queries. */
const LARGE = 100_000;
/** Limits on waiting queries include running queries. */
const QUEUE = {
  maxInARow: 1,
  maxWaiting: 256,
  maxOfClient: 16,
  waitMs: 45_000,
  runMs: 45_000,
};
const STATISTICS_REFUSALS: Readonly<Record<QueueRefusal, () => StatisticsBusyError>> = {
  full: () => new StatisticsBusyError(),
  late: () => new StatisticsBusyError(),
  slow: () => new StatisticsSlowError(),
  gone: () => new StatisticsAbandonedError(),
};
const FILES_OF_CLIENT = 4;
/** Twice the time after which unread results expire. The reader no longer exists by then. */
const FILE_IDLE_MS = 120_000;

/** Queues calls to the engine fairly, and caches public results for a few seconds. */
export class StatisticsServer {
  private readonly queue: FairQueue;
  private readonly results = new AnswerCache<WithRange<StatisticsResult>>(bytesOfRows);
  private readonly reports = new AnswerCache<WithRange<StatisticsReport>>(
    ({ lists }) => lists.length,
  );
  private readonly opening = new Map<string, number>();
  private readonly files = new Map<number, { client: string; readAt: number }>();
  private readonly engine: CountingEngine;
  private counted = 0;
  private refused = 0;
  private countedMs = 0;

  /** @param onStuck called if a cancelled query does not end */
  constructor(
    private readonly started: StartedEngine,
    private readonly onStuck: () => void,
  ) {
    const { engine, width } = started;
    this.engine = engine;
    const refuse = (reason: QueueRefusal) =>
      this.loadingError(reason) ?? STATISTICS_REFUSALS[reason]();
    this.queue = new FairQueue({ ...QUEUE, width, refuse });
  }

  count(
    question: SentQuestion,
    rows: number,
    signal?: AbortSignal,
  ): Promise<WithRange<StatisticsResult>> {
    const { source, query } = question;
    const key = answerKey('count', question, { rows });
    return this.resultFor(this.results, { key, question, signal }, (cancellation) =>
      this.engine.count(source, query, rows, cancellation),
    );
  }

  report(
    question: SentQuestion,
    { rows, metrics }: { rows: number; metrics: readonly Metric[] },
    signal?: AbortSignal,
  ): Promise<WithRange<StatisticsReport>> {
    const { source, query } = question;
    const key = answerKey('report', question, { rows, metrics });
    return this.resultFor(this.reports, { key, question, signal }, async (cancellation) => {
      const result = await this.engine.count(source, query, rows, cancellation);
      const { summary, breakdowns } = result;
      const shortCodes = breakdowns.short_code?.labels.slice(0, MAX_TITLES);
      return { summary, lists: reportLists(result, query.dimensions, metrics), shortCodes };
    });
  }

  async open(question: SentQuestion, signal?: AbortSignal): Promise<OpenedResult> {
    const { client, source, query } = question;
    if (this.countFiles(client) >= FILES_OF_CLIENT) {
      this.refused += 1;
      throw new StatisticsBusyError();
    }
    this.opening.set(client, (this.opening.get(client) ?? 0) + 1);
    try {
      const opened = await this.queued(question, signal, null, async (cancellation) => {
        const result = await this.engine.open(source, query, cancellation);
        if (cancellation.isCancelled) this.engine.release(result.cursorId);
        return result;
      });
      this.files.set(opened.cursorId, { client, readAt: Date.now() });
      return opened;
    } finally {
      const left = (this.opening.get(client) ?? 1) - 1;
      if (left === 0) this.opening.delete(client);
      else this.opening.set(client, left);
    }
  }

  rows(cursorId: number, dimension: Dimension, from: number, count: number): BreakdownPage {
    const file = this.files.get(cursorId);
    if (file !== undefined) file.readAt = Date.now();
    return this.engine.rows(cursorId, dimension, from, count);
  }

  release(cursorId: number): void {
    this.files.delete(cursorId);
    this.engine.release(cursorId);
  }

  status(): StatisticsMetrics {
    const { counted, refused, countedMs } = this;
    const { heldBytes } = this.engine;
    return { counted, refused, countedMs, waiting: this.queue.size, heldBytes };
  }

  async stop(): Promise<void> {
    await this.started.stop();
  }

  private async queued<T>(
    { client, clicks }: SentQuestion,
    signal: AbortSignal | undefined,
    key: string | null,
    count: (cancellation: Cancellation) => Promise<T>,
  ): Promise<T> {
    try {
      const lane = clicks === null || clicks > LARGE ? 1 : 0;
      const run = (cancelled: AbortSignal): Promise<T> => this.cancellable(cancelled, count);
      const mayContinue = () => this.started.loading() !== null;
      return await this.queue.run({ key: client, signal }, { lane, key, run, mayContinue });
    } catch (error) {
      const isRefusal = error instanceof StatisticsBusyError;
      if (isRefusal && !(error instanceof StatisticsAbandonedError)) this.refused += 1;
      throw error;
    }
  }

  private async cancellable<T>(
    signal: AbortSignal,
    count: (cancellation: Cancellation) => Promise<T>,
  ): Promise<T> {
    const begun = performance.now();
    const cancellation = new Cancellation();
    let endWatch = (): void => undefined;
    const cancel = (): void => {
      cancellation.cancel();
      endWatch = watchCancelledQuery(this.onStuck);
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      await this.started.connect();
      return await count(cancellation);
    } catch (error) {
      throw toStatisticsError(await this.started.causeOf(error));
    } finally {
      signal.removeEventListener('abort', cancel);
      endWatch();
      this.counted += 1;
      this.countedMs += performance.now() - begun;
    }
  }

  /** Returns the cached result for public queries. */
  private async resultFor<T extends StatisticsResult | StatisticsReport>(
    kept: AnswerCache<WithRange<T>>,
    { key, question, signal }: { key: string | null; question: SentQuestion; signal?: AbortSignal },
    count: (cancellation: Cancellation) => Promise<T>,
  ): Promise<WithRange<T>> {
    const { isPublic, clicks, query } = question;
    const revision = clicks ?? 0;
    const isKept = isPublic && key !== null;
    const known = isKept ? kept.get(key, revision) : null;
    if (known !== null) return known;
    const queueKey = key === null ? null : `${revision} ${key}`;
    return this.queued(question, signal, queueKey, async (cancellation) => {
      const begun = performance.now();
      const { start, end } = query;
      const result = { ...(await count(cancellation)), range: { start, end } };
      if (isKept) kept.put(key, revision, result, performance.now() - begun);
      return result;
    });
  }

  /** Returns the error for a query that timed out in the queue because clicks are being read. */
  private loadingError(reason: QueueRefusal): StatisticsLoadingError | null {
    const loading = this.started.loading();
    if (loading === null || (reason !== 'slow' && reason !== 'late')) return null;
    return StatisticsLoadingError.forTime(loading.remainingMs);
  }

  private countFiles(client: string): number {
    const oldest = Date.now() - FILE_IDLE_MS;
    let files = this.opening.get(client) ?? 0;
    for (const [cursorId, file] of this.files) {
      if (file.readAt < oldest) this.files.delete(cursorId);
      else if (file.client === client) files += 1;
    }
    return files;
  }
}

function answerKey(
  topic: string,
  { source, query, requestKey }: SentQuestion,
  wanted: object,
): string | null {
  if (requestKey === null) return null;
  const { dimensions, underscored = null } = query;
  const text = JSON.stringify([topic, source, wanted, dimensions, underscored, requestKey]);
  return createHash('sha256').update(text).digest('base64');
}
