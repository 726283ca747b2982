import type { Source } from '../engine/query-runner';
import type { Link } from '../../links/lookup/link';
import type { Period } from '../query/period';
import type { StatisticsQuery } from '../query/statistics-query';

/** A request that may be answered: whose clicks, which question, and what the answer repeats. */
export interface StatisticsScope {
  scope: 'all' | 'anon';
  source: Source;
  query: StatisticsQuery;
  period: Period;
  /** The link by whose `short_code` the figures were asked for. */
  shortCode: string | null;
  /** The link whose own statistics were asked for by its id. */
  link: Link | null;
  /** The range and the filters as they were asked for: equal where `period` differs by its now. */
  words: string;
  /** Recorded clicks of the link that is asked about; null for an account. */
  clicks: number | null;
  /** Whether anybody may ask this. */
  isPublic: boolean;
}
