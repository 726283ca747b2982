import { AuthenticationError, ForbiddenError, NotFoundError } from '../../common/errors';
import type { Link } from '../../links/link';
import type { Source } from '../engine/query-runner';
import type { Period } from '../query/period';
import type { StatisticsQuery } from '../query/statistics-query';

/** A code as links are found by: emoji codes are compared without U+FE0F (docs/contract.md#8.1). */
export function shortCode(input: string | undefined): string {
  return (input ?? '').replaceAll('\ufe0f', '');
}

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

/** 404: no such link, or one whose statistics the caller may not know of. */
export class LinkUnknownError extends NotFoundError {
  constructor() {
    super('There is no such link');
  }
}

/** 401: private statistics, and nobody has signed in. */
export class PrivateStatisticsError extends AuthenticationError {
  constructor() {
    super('The statistics of this link are private: sign in as its owner');
  }
}

/** 403: the statistics belong to another account. */
export class ForeignStatisticsError extends ForbiddenError {
  constructor() {
    super('These statistics belong to another account');
  }
}
