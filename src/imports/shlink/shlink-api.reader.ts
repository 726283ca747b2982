import { parseTime } from '../../common/time';
import { fieldsOf, type JsonFields, numberOf, textOf } from '../api/json-answer';
import { linkOfJson, type LinkKeys } from '../api/json-link';
import type { Query, SourceApi } from '../api/source-api';
import type { Import } from '../import';
import type { SourceSettings } from '../source-link';
import { rulesOf } from './shlink-rules';
import type {
  FoundRow,
  FoundVisit,
  ImportReader,
  ReadPage,
  VisitList,
  VisitPages,
} from '../reading/import-reader';

const LINKS = 100;
const VISITS = 1000;
const MAX_LINKS = 10_000_000;
const MAX_TOLD = 500;

/** Keys of Shlink that hold a field of ours, once the inner objects are spread out. */
const KEYS: LinkKeys = {
  alias: 'shortCode',
  short_url: 'shortUrl',
  long_url: 'longUrl',
  domain: 'domain',
  title: 'title',
  tags: 'tags',
  created_at: 'dateCreated',
  expire_after: 'validUntil',
  max_clicks: 'maxVisits',
  clicks: 'visits',
  link_id: 'sourceId',
};

/** The page that comes next, and how many links there were. */
interface ShlinkPosition {
  readonly page: number;
  readonly total: number;
}

/** Links and visits of Shlink's API, the links counted from 1, the oldest first. */
export function shlinkApiReader(api: SourceApi): ImportReader {
  return {
    async page(of: Import, position: ShlinkPosition | null, firstRow: number): Promise<ReadPage> {
      const { items, pages, page, total } = await linksAt(api, position);
      const rows = await Promise.all(items.map((item, i) => linkOf(api, of, item, firstRow + i)));
      const next: ShlinkPosition = { page: page + 1, total };
      return { rows, nextRow: firstRow + rows.length, next: page < pages ? next : null };
    },
    linkVisits: (sourceId) => visitPages(api, sourceId),
  };
}

interface ListPage {
  readonly items: readonly unknown[];
  readonly page: number;
  readonly pages: number;
  readonly size: number;
  readonly total: number;
}

/** Links that were deleted meanwhile have moved the others up: a page is read again then. */
async function linksAt(api: SourceApi, position: ShlinkPosition | null): Promise<ListPage> {
  const { page, total } = position ?? { page: 1, total: 0 };
  const found = await linksOfPage(api, page);
  const moved = Math.ceil(Math.max(0, total - found.total) / found.size);
  return moved === 0 ? found : linksOfPage(api, Math.max(1, page - moved));
}

async function linksOfPage(api: SourceApi, page: number): Promise<ListPage> {
  const query = { page, itemsPerPage: LINKS, orderBy: 'dateCreated-ASC' };
  const answer = fieldsOf(await api.json('/rest/v3/short-urls', query));
  return listOf(api, answer?.shortUrls, page, LINKS);
}

/** A list in the form that Shlink gives every list. */
function listOf(api: SourceApi, value: unknown, page: number, limit: number): ListPage {
  const list = fieldsOf(value);
  const pagination = fieldsOf(list?.pagination);
  const items = list?.data;
  const pages = numberOf(pagination?.pagesCount);
  const total = numberOf(pagination?.totalItems);
  const size = numberOf(pagination?.itemsPerPage) ?? limit;
  if (!Array.isArray(items) || pages === null || total === null || size === 0) {
    throw api.shapeError();
  }
  const isTooMuch = items.length > limit || items.length > size || total > MAX_LINKS;
  if (isTooMuch) throw api.shapeError('answered with too much');
  return { items, page, pages, size, total };
}

async function linkOf(api: SourceApi, of: Import, item: unknown, row: number): Promise<FoundRow> {
  const link = fieldsOf(item);
  const code = textOf(link?.shortCode);
  if (link === null || code === '') return { row, problem: 'no link' };
  const meta = fieldsOf(link.meta) ?? {};
  const visits = numberOf(fieldsOf(link.visitsSummary)?.total) ?? numberOf(link.visitsCount) ?? 0;
  const domain = textOf(link.domain);
  const tags = Array.isArray(link.tags) ? link.tags.map(textOf).join('|') : '';
  const { validUntil = null, maxVisits = null } = meta;
  const sourceId = JSON.stringify([domain, code]);
  const spread = { ...link, tags, visits, validUntil, maxVisits, sourceId };
  const read = linkOfJson(spread, row, KEYS, of.options);
  if ('problem' in read) return read;
  const { rules, lost } = await featuresOf(api, link);
  const isLost = Object.keys(lost).length > 0;
  const startsAt = parseTime(textOf(meta.validSince));
  return {
    ...read,
    // Visits that come along as clicks use the limit up by themselves.
    clicks: of.options.history === 'all' ? 0 : read.clicks,
    settings: {
      startsAt: startsAt === null ? null : new Date(startsAt),
      forwardQuery: link.forwardQuery === true,
      ...rules,
    },
    notes: isLost ? [...new Set([...read.notes, 'feature_dropped' as const])] : read.notes,
    message:
      [read.message, isLost ? told(lost) : null].filter((text) => text !== null).join('; ') || null,
  };
}

/** Rules as ours, and features that links of ours have no field for. */
async function featuresOf(
  api: SourceApi,
  link: JsonFields,
): Promise<{ rules: SourceSettings; lost: JsonFields }> {
  const crawlable = link.crawlable === true ? { crawlable: true } : {};
  if (link.hasRedirectRules !== true) return { rules: {}, lost: crawlable };
  const [path, domain] = [pathOf(textOf(link.shortCode)), textOf(link.domain)];
  const query: Query = domain === '' ? {} : { domain };
  const answer = fieldsOf(await api.jsonIfAny(`${path}/redirect-rules`, query));
  const list: readonly unknown[] = Array.isArray(answer?.redirectRules) ? answer.redirectRules : [];
  const { settings, lost } = await rulesOf(list);
  const redirectRules = lost.length > 0 ? { redirectRules: lost } : {};
  return { rules: settings, lost: { ...crawlable, ...redirectRules } };
}

function told(lost: JsonFields): string {
  const text = JSON.stringify(lost);
  return text.length > MAX_TOLD ? `${text.slice(0, MAX_TOLD)}…` : text;
}

function pathOf(code: string): string {
  return `/rest/v3/short-urls/${encodeURIComponent(code)}`;
}

function visitPages(api: SourceApi, sourceId: string): VisitPages {
  const [domain, code] = JSON.parse(sourceId) as [string, string];
  return {
    page: async (page): Promise<VisitList | null> => {
      const query = { page, itemsPerPage: VISITS, ...(domain !== '' && { domain }) };
      const answer = await api.jsonIfAny(`${pathOf(code)}/visits`, query);
      if (answer === null) return null;
      const { items, size, total } = listOf(api, fieldsOf(answer)?.visits, page, VISITS);
      return { total, size, first: (page - 1) * size, visits: items.map(visitOf) };
    },
    unsteady: () => api.shapeError('changes too fast to be read'),
  };
}

function visitOf(item: unknown): FoundVisit {
  const visit = fieldsOf(item) ?? {};
  const place = fieldsOf(visit.visitLocation) ?? {};
  const code = textOf(place.countryCode).toUpperCase();
  return {
    alias: '',
    at: parseTime(textOf(visit.date)),
    ip: '',
    userAgent: textOf(visit.userAgent),
    referrer: textOf(visit.referer),
    countryCode: code === '' ? null : code,
    country: textOf(place.countryName) || null,
    city: textOf(place.cityName) || null,
    isBot: visit.potentialBot === true,
  };
}
