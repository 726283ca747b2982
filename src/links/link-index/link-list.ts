export const SORT_FIELDS = [
  'created_at',
  'last_click',
  'total_clicks',
  'title',
  'alias',
  'expire_after',
] as const;
export type SortField = (typeof SORT_FIELDS)[number];

/** EXPIRED and SCHEDULED are reasons for INACTIVE; EXPIRED includes used-up click limits. */
export const FILTER_STATUSES = ['ACTIVE', 'INACTIVE', 'EXPIRED', 'SCHEDULED', 'BLOCKED'] as const;
export type LinkFilterStatus = (typeof FILTER_STATUSES)[number];

/** In NFC and lower case, like the indexed texts. */
export interface SearchWord {
  /** Matches alias, destination, title, tag names or the start of the note. */
  readonly part: string;
  /** The alias of a short URL, which need not contain `part`. */
  readonly alias: string | null;
  /** Domain id of that short URL; null = BASE_URL's host. */
  readonly aliasOn?: string | null;
  /** Ids of custom domains whose name contains `part`. */
  readonly domains?: readonly string[];
}

export const TAGS_MODES = ['any', 'all'] as const;
export type TagsMode = (typeof TAGS_MODES)[number];

/** Absent keys do not filter. Times in milliseconds, inclusive. */
export interface LinkFilter {
  readonly status?: LinkFilterStatus;
  readonly createdAfter?: number;
  readonly createdBefore?: number;
  readonly passwordSet?: boolean;
  readonly maxClicksSet?: boolean;
  /** Tag keys; an unknown key matches no link. */
  readonly tags?: { readonly keys: readonly string[]; readonly mode: TagsMode };
  readonly excludeTags?: readonly string[];
  /** True: no tags; false: at least one. */
  readonly untagged?: boolean;
  /** Id or kind of an import. */
  readonly source?: string;
  /** Domain id, null for BASE_URL's host; `nowhere` matches nothing. */
  readonly domain?: { readonly id: string | null } | 'nowhere';
  /** All words must match. */
  readonly search?: readonly SearchWord[];
}

export interface PageRequest {
  readonly page: number;
  readonly pageSize: number;
  readonly sortBy: SortField;
  readonly descending: boolean;
  readonly filter: LinkFilter;
  readonly sums?: boolean;
}

export interface PageOfIds {
  readonly ids: string[];
  readonly total: number;
  readonly totalClicks?: number;
}

export interface LinksGlance {
  readonly total: number;
  readonly active: number;
  readonly expiring: readonly string[];
  readonly limited: readonly string[];
}

/** Stands for BASE_URL's host in a domain filter. */
export const DEFAULT_HOST = 'default';
