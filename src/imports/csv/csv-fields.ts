/** Fields of a link that a column can hold, with the headers by which it is known (docs/contract.md#22.1). */
const HEADERS = {
  long_url: 'long url, original url, destination url, destination, url, target, target url',
  alias: 'alias, short code, code, slug, keyword, address, back half, custom back half',
  short_url: 'short url, short link, link, bitlink',
  custom_url: 'custom link',
  title: 'title',
  note: 'description, note, notes, comment, comments',
  tags: 'tag, tags, labels',
  created_at: 'created, created at, date created, creation date, timestamp, date',
  expire_after: 'expires, expires at, expire after, expire in, expiration, valid until',
  max_clicks: 'max clicks, max visits, click limit',
  clicks: 'clicks, total clicks, visits, visit count',
  domain: 'domain, short domain',
  archived: 'archived',
  password: 'password',
  link_id: 'link id',
} as const;

export type CsvField = keyof typeof HEADERS;
export const CSV_FIELDS = Object.keys(HEADERS) as CsvField[];

/** The place of the column of each field; those without one are absent. */
export type CsvColumns = Readonly<Partial<Record<CsvField, number>>>;

const FIELD_OF_HEADER: ReadonlyMap<string, CsvField> = new Map(
  CSV_FIELDS.flatMap((field) =>
    HEADERS[field].split(',').map((header) => [plain(header), field] as const),
  ),
);

/** Spaces, case, `_` and `-` tell no headers apart. */
function plain(header: string): string {
  return header.toLowerCase().replaceAll(/[\s_-]/g, '');
}

/** Columns by what the header says; of several for one field the first. */
export function columnsOf(header: readonly string[]): CsvColumns {
  const columns: Partial<Record<CsvField, number>> = {};
  for (const [place, name] of header.entries()) {
    const field = FIELD_OF_HEADER.get(plain(name));
    if (field !== undefined) columns[field] ??= place;
  }
  return columns;
}

/** Names of columns by field; null leaves a field out. */
export type CsvMapping = Readonly<Partial<Record<CsvField, string | null>>>;

/** The columns with those named by hand in place; the name of the first one that is missing, as `unknown`. */
export function mappedColumns(
  header: readonly string[],
  mapping: CsvMapping,
): { columns: CsvColumns; unknown: string | null } {
  const columns: Partial<Record<CsvField, number>> = { ...columnsOf(header) };
  for (const [field, name] of Object.entries(mapping) as [CsvField, string | null][]) {
    const place = name === null ? -1 : header.findIndex((one) => one.trim() === name.trim());
    if (name !== null && place === -1) return { columns, unknown: name };
    if (place === -1) Reflect.deleteProperty(columns, field);
    else columns[field] = place;
  }
  return { columns, unknown: null };
}
