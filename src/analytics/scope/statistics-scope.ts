import { AuthenticationError, CurtailError, ForbiddenError } from '../../common/errors';
import type { Link } from '../../stores/links/link';
import type { Source } from '../../engines/click-engine/statistics-query';
import type { Period } from '../query/period';
import type { StatisticsParameters } from '../query/statistics-parameters';

/** Removes U+FE0F: emoji codes are compared without it (docs/contract.md#8.1). */
export function shortCode(input: string | undefined): string {
  return (input ?? '').replaceAll('\ufe0f', '');
}

export interface StatisticsScope {
  name: 'all' | 'anon';
  source: Source;
  parameters: StatisticsParameters;
  period: Period;
  /** Set if the request named the link by `short_code`. */
  shortCode: string | null;
  /** Set if the request named the link by its id. */
  link: (Link & { readonly domain: string | null }) | null;
  requestKey: string | null;
  /** Recorded clicks of the link; null for an account. */
  clicks: number | null;
  isPublic: boolean;
}

/** 422: no scope given and DEFAULT_STATS_SCOPE is not set. */
export class MissingScopeError extends CurtailError {
  constructor() {
    const text = 'scope is missing: all (your links) or anon (one public link, with short_code)';
    super(422, 'validation_error', text, { field: 'scope' });
  }
}

export class PrivateStatisticsError extends AuthenticationError {
  constructor() {
    super('The statistics of this link are private: sign in as its owner');
  }
}

export class ForeignStatisticsError extends ForbiddenError {
  constructor() {
    super('These statistics belong to another account');
  }
}
