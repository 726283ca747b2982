import type { Request } from 'express';
import { BadRequestError } from '../../common/errors';
import type { SortField } from '../../links/link-index/link-list';
import type { LinkFields } from '../compatible-links.service';
import type { Paging } from './shlink-url';

const MAX_ITEMS = 100;
/** Maximum number of links that `itemsPerPage=-1` returns. */
export const MAX_ALL = 1000;

/** Invalid numbers count as absent. @param all the page size for `-1` */
export function readPaging(query: LinkFields, all: number, initial = 10): Paging {
  const [page, size] = [query.page, query.itemsPerPage].map((value) =>
    typeof value === 'string' && /^-?\d{1,9}$/.test(value) ? Number(value) : 0,
  ) as [number, number];
  if (size === -1) return { page: 1, size: all };
  return { page: Math.max(page, 1), size: size < 1 ? initial : Math.min(size, MAX_ITEMS) };
}

const ORDERS: ReadonlyMap<string, SortField> = new Map<string, SortField>([
  ['dateCreated', 'created_at'],
  ['shortCode', 'alias'],
  ['title', 'title'],
  ['visits', 'total_clicks'],
]);

const ORDER = /^(\w+)-(ASC|DESC)$/;

export function readOrder(
  orderBy: unknown,
  fields: readonly string[],
): { field: string; descending: boolean } | null {
  if (orderBy === undefined || orderBy === '') return null;
  const [, field = '', direction] = ORDER.exec(typeof orderBy === 'string' ? orderBy : '') ?? [];
  if (fields.includes(field)) return { field, descending: direction === 'DESC' };
  throw new BadRequestError(
    `orderBy must be one of ${fields.join(', ')} with -ASC or -DESC`,
    'orderBy',
  );
}

export function readLinkOrder(orderBy: unknown): { sortBy: SortField; descending: boolean } {
  const { field, descending } = readOrder(orderBy, [...ORDERS.keys()]) ?? {
    field: 'dateCreated',
    descending: true,
  };
  return { sortBy: ORDERS.get(field) ?? 'created_at', descending };
}

const REFUSED = ['excludeMaxVisitsReached', 'excludePastValidUntil'];

/** Converts the list's parameters to the filter of /api/v1 (docs/contract.md#6.1). */
export function readFilters(query: LinkFields, toDomain: (host: string) => string): object {
  const refused = REFUSED.find((name) => query[name] === 'true');
  if (refused !== undefined) throw new BadRequestError(`${refused} is not supported`, refused);
  const text = (name: string) => (query[name] === '' ? undefined : query[name]);
  const names = (name: string) => {
    const value = text(`${name}[]`) ?? text(name);
    return value === undefined ? undefined : [value].flat();
  };
  const domain = text('domain');
  return {
    search: text('searchTerm'),
    tags: names('tags'),
    tagsMode: text('tagsMode'),
    excludeTags: names('excludeTags'),
    createdAfter: text('startDate'),
    createdBefore: text('endDate'),
    domain: typeof domain === 'string' ? toDomain(domain) : domain,
  };
}

/** For `@Access.key` of GET /short-urls/shorten, whose key is in the query. */
export function readQueryKey({ query }: Request): string | null {
  const { apiKey } = query;
  return typeof apiKey === 'string' && apiKey.trim() !== '' ? apiKey : null;
}

export function isKeyInQuery({ path }: Request): boolean {
  return /\/short-urls\/shorten\/?$/i.test(path);
}
