import { parseTime } from '../../../common/time';
import {
  type JsonFields,
  type LinkKeys,
  linkOfJson,
  toFields,
  toNumber,
  toText,
} from '../../reading/json-answer';
import type { Query, SourceApi } from '../../reading/source-api';
import type { Import } from '../../store/import';
import { type SourceSettings, withDropped } from '../../reading/source-link';
import { toRules } from './shlink-rules';
import type {
  FoundRow,
  FoundVisit,
  ImportReader,
  ReadPage,
  VisitList,
  VisitPages,
} from '../../reading/import-reader';

const LINKS_PER_PAGE = 100;
const VISITS = 1000;
const MAX_SHLINK_LINKS = 10_000_000;

/** Shlink's names for our fields, after nested objects are flattened. */
const SHLINK_KEYS: LinkKeys = {
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

interface ShlinkPosition {
  readonly page: number;
  readonly total: number;
}

export function shlinkApiReader(api: SourceApi): ImportReader {
  return {
    async page(
      dataImport: Import,
      position: ShlinkPosition | null,
      firstRow: number,
    ): Promise<ReadPage> {
      const { items, pages, page, total } = await linksAt(api, position);
      const rows = await Promise.all(
        items.map((item, i) => readLink(api, dataImport, item, firstRow + i)),
      );
      const next: ShlinkPosition = { page: page + 1, total };
      return { rows, nextRow: firstRow + rows.length, next: page < pages ? next : null, total };
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

/** If links were deleted, later links have moved to the previous page, so it is read again. */
async function linksAt(api: SourceApi, position: ShlinkPosition | null): Promise<ListPage> {
  const { page, total } = position ?? { page: 1, total: 0 };
  const found = await linksOfPage(api, page);
  const moved = Math.ceil(Math.max(0, total - found.total) / found.size);
  return moved === 0 ? found : linksOfPage(api, Math.max(1, page - moved));
}

async function linksOfPage(api: SourceApi, page: number): Promise<ListPage> {
  const query = { page, itemsPerPage: LINKS_PER_PAGE, orderBy: 'dateCreated-ASC' };
  const answer = toFields(await api.json('/rest/v3/short-urls', query));
  return readList(api, answer?.shortUrls, page, LINKS_PER_PAGE);
}

function readList(api: SourceApi, value: unknown, page: number, limit: number): ListPage {
  const list = toFields(value);
  const pagination = toFields(list?.pagination);
  const items = list?.data;
  const pages = toNumber(pagination?.pagesCount);
  const total = toNumber(pagination?.totalItems);
  const size = toNumber(pagination?.itemsPerPage) ?? limit;
  if (!Array.isArray(items) || pages === null || total === null || size === 0) {
    throw api.shapeError();
  }
  const isTooMuch = items.length > limit || items.length > size || total > MAX_SHLINK_LINKS;
  if (isTooMuch) throw api.shapeError('returned too much data');
  return { items, page, pages, size, total };
}

async function readLink(
  api: SourceApi,
  dataImport: Import,
  item: unknown,
  row: number,
): Promise<FoundRow> {
  const link = toFields(item);
  const code = toText(link?.shortCode);
  if (link === null || code === '') return { row, problem: 'no link' };
  const meta = toFields(link.meta) ?? {};
  const visits = toNumber(toFields(link.visitsSummary)?.total) ?? toNumber(link.visitsCount) ?? 0;
  const domain = toText(link.domain);
  const tags = Array.isArray(link.tags) ? link.tags.map(toText).join('|') : '';
  const { validUntil = null, maxVisits = null } = meta;
  const sourceId = JSON.stringify([domain, code]);
  const spread = { ...link, tags, visits, validUntil, maxVisits, sourceId };
  const read = linkOfJson(spread, row, SHLINK_KEYS, dataImport.options);
  if ('problem' in read) return read;
  const { rules, lost } = await readFeatures(api, link);
  const startsAt = parseTime(toText(meta.validSince));
  return {
    ...withDropped(read, lost),
    // Visits that are recorded as clicks will themselves count towards the limit.
    clicks: dataImport.options.history === 'all' ? 0 : read.clicks,
    settings: {
      startsAt: startsAt === null ? null : new Date(startsAt),
      forwardQuery: link.forwardQuery === true,
      ...rules,
    },
  };
}

async function readFeatures(
  api: SourceApi,
  link: JsonFields,
): Promise<{ rules: SourceSettings; lost: JsonFields }> {
  const crawlable = link.crawlable === true ? { crawlable: true } : {};
  if (link.hasRedirectRules !== true) return { rules: {}, lost: crawlable };
  const [path, domain] = [shortUrlPath(toText(link.shortCode)), toText(link.domain)];
  const query: Query = domain === '' ? {} : { domain };
  const answer = toFields(await api.jsonIfAny(`${path}/redirect-rules`, query));
  const list: readonly unknown[] = Array.isArray(answer?.redirectRules) ? answer.redirectRules : [];
  const { settings, lost } = await toRules(list);
  const redirectRules = lost.length > 0 ? { redirectRules: lost } : {};
  return { rules: settings, lost: { ...crawlable, ...redirectRules } };
}

function shortUrlPath(code: string): string {
  return `/rest/v3/short-urls/${encodeURIComponent(code)}`;
}

function visitPages(api: SourceApi, sourceId: string): VisitPages {
  const [domain, code] = JSON.parse(sourceId) as [string, string];
  return {
    page: async (page): Promise<VisitList | null> => {
      const query = { page, itemsPerPage: VISITS, ...(domain !== '' && { domain }) };
      const answer = await api.jsonIfAny(`${shortUrlPath(code)}/visits`, query);
      if (answer === null) return null;
      const { items, size, total } = readList(api, toFields(answer)?.visits, page, VISITS);
      return { total, size, first: (page - 1) * size, visits: items.map(toVisit) };
    },
    unsteady: () => api.shapeError('changes too fast to be read'),
  };
}

function toVisit(item: unknown): FoundVisit {
  const visit = toFields(item) ?? {};
  const place = toFields(visit.visitLocation) ?? {};
  const code = toText(place.countryCode).toUpperCase();
  return {
    alias: '',
    at: parseTime(toText(visit.date)),
    ip: '',
    userAgent: toText(visit.userAgent),
    referrer: toText(visit.referer),
    countryCode: code === '' ? null : code,
    country: toText(place.countryName) || null,
    city: toText(place.cityName) || null,
    isBot: visit.potentialBot === true,
  };
}
