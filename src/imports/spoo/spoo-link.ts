import { CSV_FIELDS, type CsvColumns, type CsvField } from '../csv/csv-fields';
import type { FoundRow } from '../reading/import-reader';
import { parseSettings } from '../link-settings';
import { linksOfRow, type SourceSettings, textsProblem } from '../source-link';
import { toText, toFields } from '../api/json-answer';
import { countsOfDocument } from './spoo-counts';

/** A list item, a file of the older format (docs/contract.md#13.3), or statistics. */
export type SpooDocument = Readonly<Record<string, unknown>>;

/** Keys for our fields in both formats; the first key present is used. */
const SPOO_KEYS: Readonly<Partial<Record<CsvField, readonly string[]>>> = {
  long_url: ['url', 'long_url', 'original_url'],
  alias: ['short_code', 'alias', '_id'],
  short_url: ['short_url'],
  domain: ['domain'],
  max_clicks: ['max-clicks', 'max_clicks'],
  clicks: ['total-clicks', 'total_clicks'],
  password: ['password', 'password_set'],
  created_at: ['creation-date', 'created_at'],
  expire_after: ['expiration-time', 'expire_after'],
  archived: ['status'],
};
const FEATURES = ['geo_rules', 'meta_tags'];
const MAX_SPOO_MESSAGE = 500;
export const STATISTICS =
  'These are statistics, which do not say where the link leads: add "long_url" (and "alias") beside "summary", give the older form of export or the list of links, or let the API be asked (spoo_api), which gives both';

/** Times are in UTC. */
export async function linkOfDocument(
  row: number,
  given: SpooDocument,
  isGuessed: boolean,
): Promise<FoundRow> {
  const summary = 'metrics' in given ? toFields(given.summary) : null;
  const document = summary === null ? given : { ...summary, ...given };
  const fields = CSV_FIELDS.map((field) => documentField(document, field));
  const problem = textsProblem(fields);
  if (problem !== null) return { row, problem };
  const [link] = linksOfRow(row, fields, presentColumns(document), { timezone: 'UTC', isGuessed });
  if (link === undefined) return { row, problem: 'no link' };
  const settings = await readGeoRules(document);
  const dropped = droppedFeatures(document, settings === null ? FEATURES : ['meta_tags']);
  const counts = countsOfDocument(document);
  const messages = [link.message, dropped, isStatistics(document) ? STATISTICS : null];
  return {
    ...link,
    ...(counts !== null && { counts }),
    ...(settings !== null && { settings }),
    blockBots: isYes(document['block-bots'] ?? document.block_bots),
    privateStats: isYes(document.private_stats ?? true),
    notes:
      dropped === null ? link.notes : [...new Set([...link.notes, 'feature_dropped' as const])],
    message: messages.filter((text) => text !== null).join('; ') || null,
  };
}

/** Columns for fields present, even if empty; an update leaves missing fields unchanged. */
function presentColumns(document: SpooDocument): CsvColumns {
  const places = CSV_FIELDS.map((field, place) => [field, place] as const);
  return Object.fromEntries(
    places.filter(([field]) => SPOO_KEYS[field]?.some((key) => key in document) === true),
  );
}

function documentField(document: SpooDocument, field: CsvField): string {
  switch (field) {
    case 'created_at':
      return timeText(document['creation-date'], document['creation-time'], document.created_at);
    case 'expire_after':
      return timeText(document['expiration-time'], null, document.expire_after);
    case 'archived':
      return /^(?:|active)$/i.test(toText(document.status)) ? '' : 'yes';
    default: {
      const key = SPOO_KEYS[field]?.find((candidate) => toText(document[candidate]) !== '');
      return key === undefined ? '' : toText(document[key]);
    }
  }
}

/** Date and time of the older format, or the list's single value. */
function timeText(date: unknown, time: unknown, whole: unknown): string {
  const parts = [date, time].map(toText).filter((text) => text !== '');
  return parts.length > 0 ? parts.join(' ') : toText(whole);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isYes(value: unknown): boolean {
  return /^(?:true|yes|1)$/i.test(toText(value));
}

function isStatistics(document: SpooDocument): boolean {
  return 'metrics' in document && documentField(document, 'long_url') === '';
}

/** Destinations by country; null if missing or invalid. */
async function readGeoRules({ geo_rules: told }: SpooDocument): Promise<SourceSettings | null> {
  const geo_rules = toFields(told);
  const isFlat = geo_rules !== null && Object.values(geo_rules).every(isText);
  if (!isFlat || !isSet(geo_rules)) return null;
  const dropped = {};
  const settings = await parseSettings({ geo_rules }, ['geo_rules'], dropped);
  return isSet(dropped) ? null : settings;
}

function droppedFeatures(document: SpooDocument, features: readonly string[]): string | null {
  const lost = features.filter((name) => isSet(document[name]));
  if (lost.length === 0) return null;
  const droppedText = JSON.stringify(
    Object.fromEntries(lost.map((name) => [name, document[name]])),
  );
  return droppedText.length > MAX_SPOO_MESSAGE
    ? `${droppedText.slice(0, MAX_SPOO_MESSAGE)}…`
    : droppedText;
}

function isSet(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}
