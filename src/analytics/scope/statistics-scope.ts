import type { Link } from '../../stores/links/link';
import type { LinkName, Source } from '../../engines/click-engine/query/statistics-query';
import type { Period } from '../query/period';
import type { StatisticsParameters } from '../query/statistics-parameters';

/** Removes U+FE0F, which does not matter in emoji codes (docs/contract.md#8.1). */
export function shortCode(input: string | undefined): string {
  return (input ?? '').replaceAll('\ufe0f', '');
}

/** @param alias the link's name in statistics */
export function toLinkName(
  { id, clicksDeletedAt }: Pick<Link, 'clicksDeletedAt' | 'id'>,
  alias: string,
): LinkName {
  return { id, alias, since: clicksDeletedAt?.getTime() };
}

export interface StatisticsScope {
  name: 'all' | 'anon';
  source: Source;
  parameters: StatisticsParameters;
  period: Period;
  /** Set if the request identifies the link by `short_code`. */
  shortCode: string | null;
  /** Set if the request identifies the link by id. */
  link: (Link & { readonly domain: string | null }) | null;
  requestKey: string | null;
  /** The link's click count; null for an account. */
  clicks: number | null;
  isPublic: boolean;
}
