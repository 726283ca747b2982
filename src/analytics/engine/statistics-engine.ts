import type {
  Breakdown,
  BreakdownPage,
  Dimension,
  Metric,
  OpenedResult,
  Source,
  StatisticsQuery,
  StatisticsReport,
  StatisticsResult,
  WithRange,
} from '../../engines/click-engine/query/statistics-query';

export interface ResultRow {
  label: string;
  clicks: number;
  visitors: number;
}

/** The largest rows, and the sums of all other rows. */
export interface ResultList {
  readonly rows: readonly ResultRow[];
  readonly cut: { readonly values: number; readonly clicks: number; readonly visitors: number };
}

export function toList(breakdown: Breakdown | undefined): ResultList {
  if (breakdown === undefined) throw new RangeError('A breakdown is missing');
  const rows = toRows(breakdown);
  const { size, clicksSum, visitorsSum } = breakdown;
  const cut = { values: size - rows.length, clicks: clicksSum, visitors: visitorsSum };
  for (const { clicks, visitors } of rows) {
    cut.clicks -= clicks;
    cut.visitors -= visitors;
  }
  return { rows, cut };
}

function toRows({ labels, clicks, visitors }: BreakdownPage): ResultRow[] {
  return labels.map((label, at) => ({
    label,
    clicks: clicks[at] ?? 0,
    visitors: visitors[at] ?? 0,
  }));
}

/** Complete results. The caller must call `close`. */
export interface OpenResult extends Pick<OpenedResult, 'summary' | 'heads'> {
  rows(dimension: Dimension): AsyncGenerator<ResultRow[]>;
  close(): Promise<void>;
}

/** Writing a page of this size blocks the event loop for a few milliseconds at most. */
const PAGE_ROWS = 500;
/** Rows per fetch, about 200 KB, which block the event loop for a millisecond. */
const FETCHED_ROWS = 4000;

export async function openResult(
  engine: StatisticsEngine,
  question: StatisticsQuestion,
): Promise<OpenResult> {
  const { cursorId, summary, heads } = await engine.open(question);
  return {
    summary,
    heads,
    rows: (dimension) => readPages(engine, cursorId, dimension),
    close: () => engine.release(cursorId),
  };
}

async function* readPages(
  engine: StatisticsEngine,
  cursorId: number,
  dimension: Dimension,
): AsyncGenerator<ResultRow[]> {
  const fetch = (from: number): Promise<BreakdownPage> => {
    const fetched = engine.rows(cursorId, dimension, from, FETCHED_ROWS);
    // The next read throws the error. Without a next read, this avoids an unhandled rejection.
    fetched.catch(() => undefined);
    return fetched;
  };
  let next = fetch(0);
  for (let from = 0; ;) {
    const rows = toRows(await next);
    if (rows.length === 0) return;
    from += rows.length;
    next = fetch(from);
    for (let first = 0; first < rows.length; first += PAGE_ROWS) {
      yield rows.slice(first, first + PAGE_ROWS);
    }
  }
}

/** Clients take turns in the queue. Queries of a disconnected client are cancelled. */
export interface StatisticsClient {
  /** The account id, or the client address as in rate limits. */
  readonly key: string;
  readonly signal?: AbortSignal;
}

export interface StatisticsQuestion {
  readonly source: Source;
  readonly query: StatisticsQuery;
  readonly client: StatisticsClient;
  /** The request's range and filters; null if unique. Queries with equal keys share a result. */
  readonly requestKey: string | null;
  /** The link's click count; null unless the query is for one link. */
  readonly clicks: number | null;
  /** Whether the result is public and cached for some seconds. */
  readonly isPublic: boolean;
}

/**
 * Counts recorded clicks exactly. Uses only plain values, so that another engine can replace it.
 * @throws the errors of statistics.errors.ts, DatabaseUnavailableError
 */
export abstract class StatisticsEngine {
  /** Returns at most `rows` rows per breakdown. The sums include all rows. */
  abstract count(question: StatisticsQuestion, rows: number): Promise<WithRange<StatisticsResult>>;

  /** Returns lists as JSON, because serializing takes longer than transferring. */
  abstract report(
    question: StatisticsQuestion,
    lists: { readonly rows: number; readonly metrics: readonly Metric[] },
  ): Promise<WithRange<StatisticsReport>>;

  /**
   * Opens a result of any size, which the caller reads page by page. The caller must release the
   * result.
   */
  abstract open(question: StatisticsQuestion): Promise<OpenedResult>;

  abstract rows(
    cursorId: number,
    dimension: Dimension,
    from: number,
    count: number,
  ): Promise<BreakdownPage>;

  /** Never rejects. Unread results expire after a minute. */
  abstract release(cursorId: number): Promise<void>;
}

export interface StatisticsMetrics {
  counted: number;
  countedMs: number;
  /** Number of queries that timed out or were rejected because of load. */
  refused: number;
  waiting: number;
  heldBytes: number;
}

/** A serializable query. The client is a key, and `cancel` replaces the abort signal. */
export interface SentQuestion extends Omit<StatisticsQuestion, 'client'> {
  readonly client: string;
}

interface NamedQuestion extends SentQuestion {
  readonly call: string;
}

export interface StatisticsCalls {
  count: {
    request: NamedQuestion & { readonly rows: number | null };
    response: WithRange<StatisticsResult>;
  };
  report: {
    request: NamedQuestion & { readonly rows: number; readonly metrics: readonly Metric[] };
    response: WithRange<StatisticsReport>;
  };
  open: { request: NamedQuestion; response: OpenedResult };
  /** Returns at most one page, to limit the message size. */
  rows: {
    request: {
      readonly cursorId: number;
      readonly dimension: Dimension;
      readonly from: number;
      readonly count: number;
    };
    response: BreakdownPage;
  };
  release: { request: { readonly cursorId: number }; response: undefined };
  cancel: { request: { readonly call: string }; response: undefined };
  status: { request: null; response: StatisticsMetrics };
}

declare module '../../processes/rpc/primary-calls' {
  interface PrimaryCalls {
    'statistics.count': StatisticsCalls['count'];
    'statistics.report': StatisticsCalls['report'];
    'statistics.open': StatisticsCalls['open'];
    'statistics.rows': StatisticsCalls['rows'];
    'statistics.release': StatisticsCalls['release'];
    'statistics.cancel': StatisticsCalls['cancel'];
  }
}
