import { AuthenticationError, CurtailError, ForbiddenError } from '../../common/errors';
import type { Link } from '../../stores/links/link';
import type { Source } from '../../engines/click-engine/statistics-query';
import type { Period } from '../query/period';
import type { StatisticsParameters } from '../query/statistics-parameters';

/** A code as links are found by: emoji codes are compared without U+FE0F (docs/contract.md#8.1). */
export function shortCode(input: string | undefined): string {
  return (input ?? '').replaceAll('\ufe0f', '');
}

/** A permitted question: whose clicks, which parameters, and the values that its response repeats. */
export interface StatisticsScope {
  /** The `scope` parameter, repeated in the response. */
  name: 'all' | 'anon';
  source: Source;
  parameters: StatisticsParameters;
  period: Period;
  /** The link by whose `short_code` the statistics were asked for. */
  shortCode: string | null;
  /** The link whose own statistics were asked for by its id. */
  link: (Link & { readonly domain: string | null }) | null;
  /**
   * Range and filters as they were given: equal where `period` differs by its now alone. Null for a
   * question that equals no other.
   */
  requestKey: string | null;
  /** Recorded clicks of the link; null for an account. */
  clicks: number | null;
  /** Whether everybody may see it. */
  isPublic: boolean;
}

/** 422: without a scope, and DEFAULT_STATS_SCOPE does not say what that means. */
export class MissingScopeError extends CurtailError {
  constructor() {
    const text = 'scope is missing: all (your links) or anon (one public link, with short_code)';
    super(422, 'validation_error', text, { field: 'scope' });
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
