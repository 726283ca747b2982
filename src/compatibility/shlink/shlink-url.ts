import { BadRequestError } from '../../common/errors';
import { parseTime } from '../../common/time';
import type { ShownLink } from '../compatible-links.service';
import type { LinkFields } from '../compatible-request';
import { fitTitle } from '../foreign-text';

/** Field names in /api/v1 and the corresponding names for Shlink's clients. */
export const SHLINK_NAMES: Readonly<Record<string, string>> = {
  long_url: 'longUrl',
  alias: 'customSlug',
  starts_at: 'validSince',
  expire_after: 'validUntil',
  max_clicks: 'maxVisits',
  forward_query: 'forwardQuery',
  reuse: 'findIfExists',
  search: 'searchTerm',
  createdAfter: 'startDate',
  createdBefore: 'endDate',
};

export interface ShlinkTag {
  readonly tag: string;
  readonly shortUrlsCount: number;
  readonly visitsSummary: ReturnType<typeof visitsSummary>;
}

/** @param humans clicks that are neither previews nor bots */
export function visitsSummary(total: number, humans: number) {
  // More clicks may have been recorded after the total was read.
  const all = Math.max(total, humans);
  return { total: all, nonBots: humans, bots: all - humans };
}

/** Converts the fields of POST /short-urls. */
export function toNewFields(body: LinkFields, now: number): LinkFields {
  const { customSlug, findIfExists, domain, ...shared } = presentFields(body);
  const slug = typeof customSlug === 'string' ? customSlug.replace(/[ /]/g, '-') : customSlug;
  return {
    ...toSharedFields({ forwardQuery: true, ...shared }, now),
    alias: slug === '' ? undefined : slug,
    reuse: findIfExists,
    domain,
  };
}

/** Converts the fields of PATCH /short-urls/{shortCode}. */
export function toChangedFields(body: LinkFields, now: number): LinkFields {
  const removable = ['validSince', 'validUntil', 'maxVisits', 'title'];
  const fields = toSharedFields(presentFields(body, removable), now);
  // In /api/v1, 0 removes the limit.
  if (fields.max_clicks === 0)
    throw new BadRequestError('max_clicks must be at least 1', 'max_clicks');
  return fields;
}

function toSharedFields(
  { longUrl, tags, title, validSince, validUntil, maxVisits, forwardQuery, pathPrefix }: LinkFields,
  now: number,
): LinkFields {
  if (pathPrefix !== undefined && pathPrefix !== '') {
    throw new BadRequestError('pathPrefix is not supported', 'pathPrefix');
  }
  const start = typeof validSince === 'string' ? parseTime(validSince) : null;
  return {
    long_url: longUrl,
    tags,
    max_clicks: maxVisits,
    forward_query: forwardQuery,
    title: typeof title === 'string' ? fitTitle(title) : title,
    starts_at: start !== null && start <= now ? null : validSince,
    expire_after: validUntil,
  };
}

const FLAGS = ['findIfExists', 'forwardQuery'];

/** Null counts as absent, except for removable fields. Texts in a form get the types of JSON. */
function presentFields(body: LinkFields, removable: readonly string[] = []): LinkFields {
  const entries = Object.entries(body).map(([name, value]): [string, unknown] => {
    if (name === 'tags[]') return ['tags', [value].flat()];
    const isFlag = FLAGS.includes(name) && (value === 'true' || value === 'false');
    if (isFlag) return [name, value === 'true'];
    const isCount = name === 'maxVisits' && /^\d{1,15}$/.test(String(value));
    return [name, isCount ? Number(value) : value];
  });
  const isPresent = ([name, value]: [string, unknown]) =>
    value !== null || removable.includes(name);
  return Object.fromEntries(entries.filter(isPresent));
}

/** `YYYY-MM-DDTHH:MM:SS+00:00` */
function toShlinkTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}+00:00`;
}

const unixTime = (seconds: number | null): string | null =>
  seconds === null ? null : toShlinkTime(seconds * 1000);

export type ShortUrl = ReturnType<typeof toShortUrl>;

export function toShortUrl(link: ShownLink, humans: number) {
  const imported = link.imported_clicks ?? 0;
  return {
    shortUrl: link.short_url,
    shortCode: link.alias,
    longUrl: link.long_url,
    dateCreated: toShlinkTime(Date.parse(link.created_at)),
    visitsSummary: visitsSummary(link.total_clicks + imported, humans + imported),
    tags: link.tags,
    meta: {
      validSince: unixTime(link.starts_at),
      validUntil: unixTime(link.expire_after),
      maxVisits: link.max_clicks,
    },
    domain: link.domain,
    title: link.title,
    crawlable: false,
    forwardQuery: link.forward_query,
    hasRedirectRules: [link.rules, link.geo_rules, link.ab_variants].some((each) => each !== null),
  };
}

export interface Paging {
  readonly page: number;
  readonly size: number;
}

export function pagination({ page, size }: Paging, inPage: number, total: number) {
  return {
    currentPage: page,
    pagesCount: Math.max(1, Math.ceil(total / size)),
    itemsPerPage: size,
    itemsInCurrentPage: inPage,
    totalItems: total,
  };
}
