import type { Dimension } from '../../engines/click-engine/query/dimensions';
import type {
  Metric,
  Source,
  StatisticsQuery,
} from '../../engines/click-engine/query/statistics-query';
import type {
  BreakdownPage,
  OpenedResult,
  StatisticsReport,
  StatisticsResult,
  WithRange,
} from '../../engines/click-engine/query/statistics-result';

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
