import { SORT_FIELDS, type SortField } from '../../../src/links/link-index/link-list';
import { distinctTagNames, MAX_TAGS_OF_LINK } from '../../../src/stores/tags/tag';
import { withChanges } from '../../router';

export const PAGE_SIZE = 25;

export interface ListQuery {
  readonly page: number;
  readonly sortBy: SortField;
  readonly sortOrder: 'ascending' | 'descending';
  readonly search: string;
  readonly status: '' | 'ACTIVE' | 'INACTIVE' | 'SCHEDULED' | 'BLOCKED';
  readonly password: '' | 'yes' | 'no';
  readonly limit: '' | 'yes' | 'no';
  readonly from: string;
  readonly to: string;
  /** Domain name, or DEFAULT_HOST. */
  readonly domain: string;
  readonly tags: readonly string[];
  readonly tagsMode: 'any' | 'all';
  readonly untagged: boolean;
  /** Import id or source kind. */
  readonly source: string;
}

/** Reads the address's query. Invalid values count as absent. */
export function readListQuery(search: URLSearchParams): ListQuery {
  const oneOf = <T extends string>(name: string, values: readonly T[]): T | '' =>
    values.find((value) => value === search.get(name)) ?? '';
  const day = (name: string): string => {
    const text = search.get(name) ?? '';
    return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : '';
  };
  const page = Number(search.get('page') ?? 1);
  return {
    page: Number.isInteger(page) && page >= 1 && page <= 1_000_000 ? page : 1,
    sortBy: oneOf('sort', SORT_FIELDS) || 'created_at',
    sortOrder: search.get('order') === 'ascending' ? 'ascending' : 'descending',
    search: (search.get('search') ?? '').slice(0, 500),
    status: oneOf('status', ['ACTIVE', 'INACTIVE', 'SCHEDULED', 'BLOCKED']),
    password: oneOf('password', ['yes', 'no']),
    limit: oneOf('limit', ['yes', 'no']),
    from: day('from'),
    to: day('to'),
    domain: (search.get('domain') ?? '').slice(0, 253),
    // Tag names contain no comma.
    tags: distinctTagNames((search.get('tags') ?? '').split(','))
      .filter((name) => name !== '')
      .slice(0, MAX_TAGS_OF_LINK),
    tagsMode: search.get('tagsMode') === 'all' ? 'all' : 'any',
    untagged: search.get('untagged') === '1',
    source: (search.get('source') ?? '').slice(0, 100),
  };
}

/** Returns the API filter (docs/contract.md#6.1); undefined for no filter. */
export function filterOf(query: ListQuery): string | undefined {
  const filter = {
    ...(query.search === '' ? {} : { search: query.search }),
    ...(query.status === '' ? {} : { status: query.status }),
    ...(query.password === '' ? {} : { passwordSet: query.password === 'yes' }),
    ...(query.limit === '' ? {} : { maxClicksSet: query.limit === 'yes' }),
    ...(query.from === '' ? {} : { createdAfter: new Date(`${query.from}T00:00`).toISOString() }),
    ...(query.to === ''
      ? {}
      : { createdBefore: new Date(`${query.to}T23:59:59.999`).toISOString() }),
    ...(query.domain === '' ? {} : { domain: query.domain }),
    ...(query.tags.length === 0 ? {} : { tags: query.tags, tagsMode: query.tagsMode }),
    ...(query.untagged ? { untagged: true } : {}),
    ...(query.source === '' ? {} : { source: query.source }),
  };
  return Object.keys(filter).length === 0 ? undefined : JSON.stringify(filter);
}

/** Returns the number of filters, without the search. */
export function filterCount(query: ListQuery): number {
  const { status, password, limit, from, to, domain, tags, untagged, source } = query;
  const set = [status, password, limit, from, to, domain, tags.length > 0, untagged, source];
  return set.filter(Boolean).length;
}

/** Returns the tags if they are the only filter, because statistics can then filter by them. */
export function onlyTagsOf(query: ListQuery): readonly string[] | null {
  const { search, tags, tagsMode, untagged } = query;
  const others = filterCount(query) - (tags.length > 0 ? 1 : 0) - (untagged ? 1 : 0);
  if (search !== '' || others > 0) return null;
  if (untagged) return tags.length === 0 ? ['(none)'] : null;
  return tags.length > 0 && (tagsMode === 'any' || tags.length === 1) ? tags : null;
}

/** A new filter or order returns to the first page. */
export function changed(
  search: URLSearchParams,
  changes: Readonly<Record<string, string | null>>,
): URLSearchParams {
  return withChanges(search, { page: null, ...changes });
}
