import type { Dimension } from '../engines/click-engine/dimensions';
import type { Metric, Source, StatisticsQuery } from '../engines/click-engine/statistics-query';
import type {
  BreakdownPage,
  OpenedResult,
  StatisticsReport,
  StatisticsResult,
  WithRange,
} from '../engines/click-engine/statistics-result';

/** The asking side: fairness is between clients, and nothing is counted for one that has gone. */
export interface StatisticsClient {
  /** The account, or the address as rate limits see it. */
  readonly key: string;
  /** Aborted when nobody reads the result any more. */
  readonly signal?: AbortSignal;
}

export interface StatisticsQuestion {
  readonly source: Source;
  readonly query: StatisticsQuery;
  readonly client: StatisticsClient;
  /**
   * Range and filters as they were given: two queries with one key are the same although `now` is
   * another moment for each. Null for one that equals no other.
   */
  readonly requestKey: string | null;
  /** Clicks that the link is known to have; null where the scope is not one link. */
  readonly clicks: number | null;
  /** Everybody may see it, so its result is kept for some seconds. */
  readonly isPublic: boolean;
}

/**
 * The only door to statistics: exact figures of recorded clicks. Everything in and out is a plain
 * value, so that another engine can stand behind it. Failures are those of statistics.errors.ts, and
 * DatabaseUnavailableError.
 */
export abstract class StatisticsEngine {
  /** Returns a result with at most `rows` rows a breakdown; its sums are over all of them. */
  abstract count(question: StatisticsQuestion, rows: number): Promise<WithRange<StatisticsResult>>;

  /** Returns the same with its lists written as JSON, which takes longer to write than to send. */
  abstract report(
    question: StatisticsQuestion,
    lists: { readonly rows: number; readonly metrics: readonly Metric[] },
  ): Promise<WithRange<StatisticsReport>>;

  /** Opens a result of any size, to be read page by page and released. */
  abstract open(question: StatisticsQuestion): Promise<OpenedResult>;

  /** Returns some rows of an opened result, from a position on; none at its end. */
  abstract rows(
    cursorId: number,
    dimension: Dimension,
    from: number,
    count: number,
  ): Promise<BreakdownPage>;

  /** Never rejects: a result that nobody reads is let go of after a minute. */
  abstract release(cursorId: number): Promise<void>;
}
