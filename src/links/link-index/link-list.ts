export const SORT_FIELDS = ['created_at', 'last_click', 'total_clicks'] as const;
export type SortField = (typeof SORT_FIELDS)[number];

/**
 * Statuses that a list can be narrowed to: those of links, and why they are INACTIVE. EXPIRED ones
 * ran out of time or clicks; BLOCKED ones are accepted for clients that ask for them, and are none.
 */
export const FILTER_STATUSES = ['ACTIVE', 'INACTIVE', 'EXPIRED', 'BLOCKED'] as const;
export type LinkFilterStatus = (typeof FILTER_STATUSES)[number];

/** One word of a search; in lower case, as texts are. */
export interface SearchWord {
  /** To be found in alias or destination. */
  readonly part: string;
  /** Where the word is a short URL, the alias of the link that is meant; it need not hold the part. */
  readonly alias: string | null;
}

/** The filter of a list; an absent key narrows nothing. Times in milliseconds, inclusive. */
export interface LinkFilter {
  readonly status?: LinkFilterStatus;
  readonly createdAfter?: number;
  readonly createdBefore?: number;
  readonly passwordSet?: boolean;
  readonly maxClicksSet?: boolean;
  /** All of them have to be found. */
  readonly search?: readonly SearchWord[];
}

/** One page of a list: which, in which order, of which links. */
export interface PageRequest {
  readonly page: number;
  readonly pageSize: number;
  readonly sortBy: SortField;
  readonly descending: boolean;
  readonly filter: LinkFilter;
}

export interface PageOfIds {
  readonly ids: string[];
  readonly total: number;
}

/** All links of an account at one glance. */
export interface LinksGlance {
  readonly total: number;
  readonly active: number;
  /** Active ones that end by a time, the next one first, no more than were asked for. */
  readonly expiring: readonly string[];
  /** Active ones with a limit. */
  readonly limited: readonly string[];
}
