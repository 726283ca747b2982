import { FIELD_ROWS } from '../../stores/links/link-fields';

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

/** The texts are in NFC and lower case, like the indexed texts. */
export interface SearchWord {
  /** Matches alias, destination, title, tag names or the start of the note. */
  readonly part: string;
  /** Alias, if the word is a short URL; it does not have to contain `part`. */
  readonly alias: string | null;
  /** Domain id of the short URL; null for the host of BASE_URL. */
  readonly aliasOn?: string | null;
  /** Ids of custom domains whose name contains `part`. */
  readonly domains?: readonly string[];
}

export const TAGS_MODES = ['any', 'all'] as const;
export type TagsMode = (typeof TAGS_MODES)[number];

/** Filters for links that have a value, with its stored field. */
export const PRESENCE_FILTERS = [
  { filter: 'passwordSet', name: 'password_hash' },
  ...FIELD_ROWS.flatMap(({ filter, name }) => (filter === undefined ? [] : { filter, name })),
] as const;
export type PresenceFilter = (typeof PRESENCE_FILTERS)[number]['filter'];

/** Absent keys do not filter. Times are in milliseconds and inclusive. */
export interface LinkFilter extends Readonly<Partial<Record<PresenceFilter, boolean>>> {
  readonly status?: LinkFilterStatus;
  readonly createdAfter?: number;
  readonly createdBefore?: number;
  /** Tag keys; an unknown key matches no link. */
  readonly tags?: { readonly keys: readonly string[]; readonly mode: TagsMode };
  readonly excludeTags?: readonly string[];
  /** True: no tags; false: at least one. */
  readonly untagged?: boolean;
  /** Id or kind of an import. */
  readonly source?: string;
  /** Ids of domains with the same name, or null for the host of BASE_URL. */
  readonly domain?: readonly string[] | null;
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
  readonly importedClicks?: number;
}

export interface TagCounts {
  readonly links: number;
  readonly importedClicks: number;
}

export interface LinksGlance {
  readonly total: number;
  readonly active: number;
  readonly importedClicks: number;
  readonly expiring: readonly string[];
  readonly limited: readonly string[];
}

/** Domain filter value that stands for the host of BASE_URL. */
export const DEFAULT_HOST = 'default';
