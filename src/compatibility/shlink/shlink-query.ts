import { BadRequestError } from '../../common/errors';
import type { SortField } from '../../links/link-index/link-list';
import type { LinkFields } from '../compatible-request';
import type { Paging } from './shlink-url';

const MAX_ITEMS = 100;
/** Maximum number of links that `itemsPerPage=-1` returns. */
export const MAX_ALL = 1000;

/** Invalid numbers count as absent. @param all the page size for `-1` */
export function readPaging(query: LinkFields, all: number, initial = 10): Paging {
  const [page = 0, size = 0] = [query.page, query.itemsPerPage].map((value) =>
    typeof value === 'string' && /^-?\d{1,9}$/.test(value) ? Number(value) : 0,
  );
  if (size === -1) return { page: 1, size: all };
  return { page: Math.max(page, 1), size: size < 1 ? initial : Math.min(size, MAX_ITEMS) };
}

export const LINK_ORDERS: Readonly<Record<string, SortField>> = {
  dateCreated: 'created_at',
  shortCode: 'alias',
  title: 'title',
  visits: 'total_clicks',
};

const ORDER = /^(\w+)-(ASC|DESC)$/;

/** @param initial the order if none is requested */
export function readOrder<T>(
  orderBy: unknown,
  orders: Readonly<Record<string, T>>,
  initial: string,
): { by: T; descending: boolean } {
  const text = orderBy === undefined || orderBy === '' ? initial : orderBy;
  const [, field = '', direction] = ORDER.exec(typeof text === 'string' ? text : '') ?? [];
  const by = Object.hasOwn(orders, field) ? orders[field] : undefined;
  if (by !== undefined) return { by, descending: direction === 'DESC' };
  const names = Object.keys(orders).join(', ');
  throw new BadRequestError(`orderBy must be one of ${names} with -ASC or -DESC`, 'orderBy');
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
