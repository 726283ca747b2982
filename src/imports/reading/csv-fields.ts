/** Recognised CSV headers by field, most reliable first; listed in the API description. */
export const CSV_HEADERS = {
  long_url:
    'long url, original url, destination url, destination, target url, target, url, long link, full url, full link, redirect url, redirect to, original link, destination link, target link, deep link, final url, original, long',
  alias:
    'alias, custom alias, short code, slashtag, slug, custom slug, keyword, back half, custom back half, short id, short path, link slug, url slug, link alias, short slug, vanity path, ending, hash, key, code, address',
  short_url:
    'short url, short link, link, bitlink, branded link, branded url, tiny url, snip url, snip link, shortened url, shortened link, vanity url, full short url, dynamic link, go link, secure short url, short',
  custom_url: 'custom link, custom links, custom bitlink, custom bitlinks, custom url',
  title: 'title, link title, page title, name, link name',
  note: 'description, note, notes, comment, comments',
  tags: 'tags, tag, labels, link tags, tag names',
  created_at:
    'created at, created, created on, created date, date created, creation date, creation time, date added, added on, created time, timestamp, date',
  expire_after:
    'expires at, expires, expire after, expire in, expire at, expire at datetime, expired at, expiration, expiration date, expiration time, expiry, expiry date, expiry time, expires on, expire date, expire time, valid until, valid to',
  max_clicks:
    'max clicks, max visits, click limit, clicks limit, visit limit, visits limit, expire at views, max hits, max uses, maximum clicks, maximum visits',
  clicks:
    'total clicks, clicks, visits, visit count, visits count, click count, clicks count, total visits, hits, hit count, total hits, engagements, views, total views, view count, counter, number of clicks, redirects, scans',
  domain: 'domain, short domain, domain name, domain full name, branded domain',
  archived: 'archived, is archived, disabled, is disabled, banned, is banned, deleted, is deleted',
  password: 'password',
  link_id: 'link id',
} as const;

/** Headers that name an alias only if the file also has a destination header listed here. */
const PAIRED_ALIASES = [
  // YOURLS' export plugin, where `code` is the redirect status.
  { header: 'source', beside: 'target, target url' },
  { header: 'source url', beside: 'target, target url, destination, destination url' },
  // Short.io.
  { header: 'path', beside: 'original url, long url, destination url, destination, target url' },
] as const;

export type CsvField = keyof typeof CSV_HEADERS;
export const CSV_FIELDS = Object.keys(CSV_HEADERS) as CsvField[];

export type CsvColumns = Readonly<Partial<Record<CsvField, number>>>;

const ALIAS_FIELDS = ['alias', 'short_url', 'custom_url'] as const satisfies readonly CsvField[];

/** Headers that, in this exact spelling and combination, identify a Curtail CSV export. */
const EXPORTED_NAMES = ['alias', 'long_url', 'status', 'password_set'];

export function isOwnExport(header: readonly string[]): boolean {
  return EXPORTED_NAMES.every((name) => header.includes(name));
}

export function hasAlias(columns: CsvColumns): boolean {
  return ALIAS_FIELDS.some((field) => columns[field] !== undefined);
}

function plainHeader(header: string): string {
  return header.toLowerCase().replaceAll(/[\s_.-]/g, '');
}

const plainNames = (list: string): string[] => list.split(',').map(plainHeader);
const FIELD_NAMES = CSV_FIELDS.map((field) => [field, plainNames(CSV_HEADERS[field])] as const);

/** Maps the header to columns, preferring the most reliable header per field. */
export function columnsFromHeader(header: readonly string[]): CsvColumns {
  const columns: Partial<Record<CsvField, number>> = {};
  const names = header.map(plainHeader);
  for (const [field, known] of FIELD_NAMES) {
    const name = known.find((candidate) => names.includes(candidate));
    if (name !== undefined) columns[field] = names.indexOf(name);
  }
  if (isOwnExport(header)) {
    columns.archived = header.indexOf('status');
    columns.password = header.indexOf('password_set');
  }
  const paired = PAIRED_ALIASES.find(
    ({ header: alias, beside }) =>
      names.includes(plainHeader(alias)) && plainNames(beside).some((name) => names.includes(name)),
  );
  const hasSurer = columns.alias !== undefined && names[columns.alias] !== 'code';
  if (paired !== undefined && !hasSurer && columns.short_url === undefined) {
    columns.alias = names.indexOf(plainHeader(paired.header));
  }
  return columns;
}

/** Column name by field; null ignores the field. */
export type CsvMapping = Readonly<Partial<Record<CsvField, string | null>>>;

/** Applies the owner's mapping; also returns the first mapped column that does not exist. */
export function mappedColumns(
  header: readonly string[],
  mapping: CsvMapping,
): { columns: CsvColumns; unknown: string | null } {
  const columns: Partial<Record<CsvField, number>> = { ...columnsFromHeader(header) };
  for (const [field, name] of Object.entries(mapping) as [CsvField, string | null][]) {
    const place = name === null ? -1 : header.findIndex((label) => label.trim() === name.trim());
    if (name !== null && place === -1) return { columns, unknown: name };
    if (place === -1) Reflect.deleteProperty(columns, field);
    else columns[field] = place;
  }
  return { columns, unknown: null };
}
