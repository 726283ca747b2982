import { DAY_MS, parseTime } from '../../../common/time';
import { parseUrl } from '../../../config/url';
import type { CountedDimension } from '../../../stores/imported-counts/imported-counts';
import { parseSourceCount, SeriesBuilder } from '../../../stores/imported-counts/series-builder';
import { countryLabel, deviceLabel, sourceReferrerLabel } from '../../reading/count-labels';
import {
  type FoundRow,
  type ImportReader,
  type ReadPage,
  wantedRows,
} from '../../reading/import-reader';
import { type JsonFields, toFields, toNumber, toText } from '../../reading/json-answer';
import type { Query, SourceApi } from '../../reading/source-api';
import type { SourceLink } from '../../reading/source-link';
import { SourceTrouble } from '../../reading/source.errors';
import type { Import } from '../../store/import';
import { type BitlyLink, bitlyLinks } from './bitly-link';

/** Maximum days per series (about 55 years). */
const MAX_DAYS = 20_000;
/** Maximum values per dimension; clicks with other values count only in the total. */
const MAX_KEPT_VALUES = 1000;

const BITLY_DIMENSIONS = {
  countries: { dimension: 'country', labelOf: countryLabel },
  referrers: { dimension: 'referrer', labelOf: sourceReferrerLabel },
  devices: { dimension: 'device', labelOf: deviceLabel },
} as const satisfies Record<
  string,
  { dimension: CountedDimension; labelOf: (value: string) => string }
>;
type BitlyDimension = keyof typeof BITLY_DIMENSIONS;

/** Adds a link's clicks by day and returns their sum; null if the response is malformed. */
function addDays(
  series: SeriesBuilder,
  answer: unknown,
  { createdAt, now }: { readonly createdAt: Date | null; readonly now: number },
): number | null {
  const days = readFieldList(answer, 'link_clicks');
  if (days === null || days.length > MAX_DAYS) return null;
  let sum = 0;
  for (const day of days) {
    const at = parseTime(toText(day.date));
    if (at === null) return null;
    const clicks = parseSourceCount(day.clicks);
    if (at < 0 || at > now || clicks === 0) continue;
    const start = at - (at % DAY_MS);
    series.addUnit(start, clicks);
    // Clicks cannot precede the link's creation or follow the request.
    const begin = Math.min(Math.max(start, createdAt?.getTime() ?? 0), start + DAY_MS);
    series.addSpan(begin, Math.min(start + DAY_MS, now));
    sum += clicks;
  }
  return sum;
}

/** Adds a link's clicks by dimension; false if the response is malformed. */
function addMetrics(series: SeriesBuilder, name: BitlyDimension, answer: unknown): boolean {
  const values = readFieldList(answer, 'metrics');
  const { dimension, labelOf } = BITLY_DIMENSIONS[name];
  for (const { value, clicks } of values?.slice(0, MAX_KEPT_VALUES) ?? []) {
    series.addValue(dimension, labelOf(toText(value)), clicks);
  }
  return values !== null;
}

function readFieldList(
  answer: unknown,
  name: string,
): readonly Readonly<Record<string, unknown>>[] | null {
  const list = toFields(answer)?.[name];
  if (!Array.isArray(list)) return null;
  const found = list.map(toFields);
  return found.every((fields) => fields !== null) ? found : null;
}

/** Uses Bitly's maximum page size and includes archived links. */
const LIST: Query = { size: 100, archived: 'both' };
const WHOLE_LIFE: Query = { unit: 'day', units: -1 };
const MAX_GROUPS = 1000;
const MAX_ROWS = 10_000_000;
const MAX_NEXT = 2000;
const BITLY_DIMENSION_NAMES = Object.keys(BITLY_DIMENSIONS) as BitlyDimension[];
/** Paths that this reader requests, as named in Bitly's usage limits. */
const COUNTED_ENDPOINT =
  /\/groups(?:\/[^/]+\/bitlinks)?$|\/bitlinks\/.+\/(?:clicks|countries|referrers|devices)$/;

interface BitlyPosition {
  readonly group: string;
  readonly query: Query;
}

interface BitlyPage {
  readonly links: readonly unknown[];
  readonly next: Query | null;
}

interface CountedLink {
  /** The row that the clicks are assigned to. */
  readonly holder: SourceLink;
  readonly path: string;
  readonly series: SeriesBuilder;
  readonly clicks: number;
}

export function bitlyApiReader(api: SourceApi): ImportReader {
  return {
    async page(
      dataImport: Import,
      position: BitlyPosition | null,
      firstRow: number,
    ): Promise<ReadPage> {
      await refuseUsedUp(api);
      const here = position ?? (await groupAfter(api, null));
      if (here === null) return { rows: [], nextRow: firstRow, next: null };
      const { links, next } = await readBitlyPage(api, here);
      if (firstRow > MAX_ROWS) throw api.shapeError('returned too much data');
      const found = links.map((link, i) => bitlyLinks(link, firstRow + i, dataImport.options));
      const rows = await addHistories(api, dataImport, found);
      return {
        rows,
        nextRow: firstRow + links.length,
        next: next === null ? await groupAfter(api, here.group) : { ...here, query: next },
      };
    },
  };
}

/** Checks Bitly's monthly and hourly quotas before the import starts. */
async function refuseUsedUp(api: SourceApi): Promise<void> {
  const answer = toFields(await api.currentJson('/v4/user/platform_limits'));
  const limits = toFieldList(answer?.platform_limits);
  const isUsedUp = limits
    .filter(({ endpoint }) => COUNTED_ENDPOINT.test(toText(endpoint)))
    .flatMap(({ methods }) => toFieldList(methods))
    .some(({ name, limit, count }) => {
      const [most, used] = [toNumber(limit) ?? 0, toNumber(count) ?? 0];
      return toText(name).toUpperCase() === 'GET' && most > 0 && used >= most;
    });
  if (isUsedUp) throw new SourceTrouble(`The request limit of ${api.host} is used up`);
}

/** Returns the next group by id, because new groups do not change the order of ids. */
async function groupAfter(api: SourceApi, before: string | null): Promise<BitlyPosition | null> {
  const answer = toFields(await api.json('/v4/groups'));
  if (!Array.isArray(answer?.groups)) throw api.shapeError();
  if (answer.groups.length > MAX_GROUPS) throw api.shapeError('returned too much data');
  const ids = answer.groups.map((group) => toText(toFields(group)?.guid));
  if (!ids.every((id) => /^[\w-]{1,100}$/.test(id))) throw api.shapeError();
  const group = ids.sort().find((id) => before === null || id > before);
  return group === undefined ? null : { group, query: LIST };
}

async function readBitlyPage(api: SourceApi, { group, query }: BitlyPosition): Promise<BitlyPage> {
  const answer = toFields(await api.json(`/v4/groups/${group}/bitlinks`, query));
  const links = answer?.links;
  if (!Array.isArray(links)) throw api.shapeError();
  if (links.length > Number(LIST.size)) throw api.shapeError('returned too much data');
  const next = toText(toFields(answer?.pagination)?.next);
  return { links, next: next === '' ? null : nextQuery(api, next, query) };
}

/** Takes only the query from a next-page URL, and only if the URL is on this service. */
function nextQuery(api: SourceApi, next: string, before: Query): Query {
  const url = next.length <= MAX_NEXT ? parseUrl(next) : null;
  if (url?.origin !== api.origin) throw api.shapeError('returned a next page on another host');
  const query = { ...Object.fromEntries(url.searchParams), ...LIST };
  const isSame = JSON.stringify(query) === JSON.stringify({ ...before, ...LIST });
  if (isSame) throw api.shapeError('returned the current page as the next page');
  return query;
}

/** Assigns clicks to the first custom back-half, if there is one (docs/contract.md#22.3). */
async function addHistories(
  api: SourceApi,
  dataImport: Import,
  found: readonly BitlyLink[],
): Promise<FoundRow[]> {
  const isWanted = dataImport.options.history !== 'none';
  const links = await Promise.all(
    found.map(async (link) => (isWanted ? countedLink(api, dataImport, link) : null)),
  );
  // A dry run reports only the number of clicks, not the dimensions.
  if (!dataImport.dryRun) {
    await addDimensions(
      api,
      links.filter((link) => link !== null),
    );
  }
  return found.flatMap(({ rows }, i) => {
    const link = links[i];
    if (link == null) return rows;
    const counted = { pastClicks: link.clicks, counts: link.series.build() };
    return rows.map((row) => (row === link.holder ? { ...row, ...counted } : row));
  });
}

/** Null if the link has no clicks. */
async function countedLink(
  api: SourceApi,
  dataImport: Import,
  { id, rows }: BitlyLink,
): Promise<CountedLink | null> {
  const [holder, path] = [findHolder(dataImport, rows), bitlinkPath(id)];
  if (holder === null || path === null) return null;
  const answer = await api.jsonIfAny(`${path}/clicks`, WHOLE_LIFE);
  if (answer === null) return null;
  const series = new SeriesBuilder({ granularity: 'day', timezone: 'UTC' });
  const { createdAt } = holder;
  const clicks = addDays(series, answer, { createdAt, now: Date.now() });
  if (clicks === null) throw api.shapeError();
  return clicks === 0 ? null : { holder, path, series, clicks };
}

function findHolder(dataImport: Import, rows: readonly FoundRow[]): SourceLink | null {
  const links = wantedRows(dataImport, rows).flatMap((row) => ('problem' in row ? [] : [row]));
  return links.find(({ part }) => part > 0) ?? links[0] ?? null;
}

function bitlinkPath(id: string | null): string | null {
  const [, host = '', code = ''] = /^([^/?#\s]+)\/([^/?#\s]+)$/.exec(id ?? '') ?? [];
  const isPossible = host !== '' && !/^\.{1,2}$/.test(host) && !/^\.{1,2}$/.test(code);
  return isPossible ? `/v4/bitlinks/${encodeURIComponent(host)}/${encodeURIComponent(code)}` : null;
}

/** Skips dimensions that the first link showed to be outside the plan. */
async function addDimensions(api: SourceApi, links: readonly CountedLink[]): Promise<void> {
  const [first, ...others] = links;
  if (first === undefined) return;
  const add = async ({ path, series }: CountedLink, name: BitlyDimension): Promise<boolean> => {
    const answer = await api.jsonIfAny(`${path}/${name}`, WHOLE_LIFE);
    if (answer !== null && !addMetrics(series, name, answer)) throw api.shapeError();
    return answer !== null;
  };
  const known = await Promise.all(BITLY_DIMENSION_NAMES.map((name) => add(first, name)));
  const names = BITLY_DIMENSION_NAMES.filter((_, i) => known[i] === true);
  await Promise.all(others.flatMap((link) => names.map((name) => add(link, name))));
}

function toFieldList(value: unknown): JsonFields[] {
  return Array.isArray(value) ? value.map(toFields).filter((fields) => fields !== null) : [];
}
