export const SORT_FIELDS = [
  'created_at',
  'last_click',
  'total_clicks',
  'title',
  'alias',
  'expire_after',
] as const;
export type SortField = (typeof SORT_FIELDS)[number];

/**
 * Statuses that a list can be narrowed to: those of links, and why they are INACTIVE. EXPIRED ones
 * ran out of time or clicks; SCHEDULED ones have not begun.
 */
export const FILTER_STATUSES = ['ACTIVE', 'INACTIVE', 'EXPIRED', 'SCHEDULED', 'BLOCKED'] as const;
export type LinkFilterStatus = (typeof FILTER_STATUSES)[number];

/** One word of a search; in NFC and lower case, as texts are. */
export interface SearchWord {
  /** To be found in alias, destination, title, the name of a tag or the beginning of the note. */
  readonly part: string;
  /** Where the word is a short URL, the alias of the link that is meant; it need not hold the part. */
  readonly alias: string | null;
  /** Id of the custom domain of that short URL; null = BASE_URL's host. */
  readonly aliasOn?: string | null;
  /** Ids of custom domains whose name holds the part. */
  readonly domains?: readonly string[];
}

export const TAGS_MODES = ['any', 'all'] as const;
export type TagsMode = (typeof TAGS_MODES)[number];

/** The filter of a list; an absent key narrows nothing. Times in milliseconds, inclusive. */
export interface LinkFilter {
  readonly status?: LinkFilterStatus;
  readonly createdAfter?: number;
  readonly createdBefore?: number;
  readonly passwordSet?: boolean;
  readonly maxClicksSet?: boolean;
  /** Keys of tags; a key that no tag has is carried by no link. */
  readonly tags?: { readonly keys: readonly string[]; readonly mode: TagsMode };
  readonly excludeTags?: readonly string[];
  /** True: without any tag; false: with one at least. */
  readonly untagged?: boolean;
  /** Id or kind of the import that it came with. */
  readonly source?: string;
  /** Id of a custom domain, null for BASE_URL's host; `nowhere` finds nothing. */
  readonly domain?: { readonly id: string | null } | 'nowhere';
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
  /** Whether the clicks of all links found are to be summed up. */
  readonly sums?: boolean;
}

export interface PageOfIds {
  readonly ids: string[];
  readonly total: number;
  /** Clicks of all links found, where these were asked for. */
  readonly totalClicks?: number;
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

/** BASE_URL's host, where a list is asked for the links of a domain. */
export const DEFAULT_HOST = 'default';
