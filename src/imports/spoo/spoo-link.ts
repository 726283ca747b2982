import { CSV_FIELDS, type CsvColumns, type CsvField } from '../csv/csv-fields';
import type { FoundRow } from '../reading/import-reader';
import { settingsOf } from '../link-settings';
import { linksOfRow, type SourceSettings, textsProblem } from '../source-link';
import { textOf, fieldsOf } from '../api/json-answer';
import { countsOfDocument } from './spoo-counts';

/**
 * A link of spoo.me: an item of its list, a file of the older form (docs/contract.md#13.3), or statistics
 * whose file says where the link leads.
 */
export type SpooDocument = Readonly<Record<string, unknown>>;

/** Keys that hold a field of ours, in either form; the first that is there counts. */
const KEYS: Readonly<Partial<Record<CsvField, readonly string[]>>> = {
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
/** Features that links of ours may have no field for. */
const FEATURES = ['geo_rules', 'meta_tags'];
const MAX_TOLD = 500;
export const STATISTICS =
  'These are statistics, which do not say where the link leads: add "long_url" (and "alias") beside "summary", give the older form of export or the list of links, or let the API be asked (spoo_api), which gives both';

/** The link of a document; its times are those of UTC. */
export async function linkOfDocument(
  row: number,
  given: SpooDocument,
  isGuessed: boolean,
): Promise<FoundRow> {
  const summary = 'metrics' in given ? fieldsOf(given.summary) : null;
  const document = summary === null ? given : { ...summary, ...given };
  const fields = CSV_FIELDS.map((field) => fieldOf(document, field));
  const problem = textsProblem(fields);
  if (problem !== null) return { row, problem };
  const [link] = linksOfRow(row, fields, columnsOf(document), { timezone: 'UTC', isGuessed });
  if (link === undefined) return { row, problem: 'no link' };
  const settings = await countriesOf(document);
  const dropped = droppedOf(document, settings === null ? FEATURES : ['meta_tags']);
  const counts = countsOfDocument(document);
  const told = [link.message, dropped, isStatistics(document) ? STATISTICS : null];
  return {
    ...link,
    ...(counts !== null && { counts }),
    ...(settings !== null && { settings }),
    blockBots: isYes(document['block-bots'] ?? document.block_bots),
    privateStats: isYes(document.private_stats ?? true),
    notes:
      dropped === null ? link.notes : [...new Set([...link.notes, 'feature_dropped' as const])],
    message: told.filter((text) => text !== null).join('; ') || null,
  };
}

/** Places of the fields that the document has, be they empty; an update leaves others as they are. */
function columnsOf(document: SpooDocument): CsvColumns {
  const places = CSV_FIELDS.map((field, place) => [field, place] as const);
  return Object.fromEntries(
    places.filter(([field]) => KEYS[field]?.some((key) => key in document) === true),
  );
}

function fieldOf(document: SpooDocument, field: CsvField): string {
  switch (field) {
    case 'created_at':
      return timeOf(document['creation-date'], document['creation-time'], document.created_at);
    case 'expire_after':
      return timeOf(document['expiration-time'], null, document.expire_after);
    case 'archived':
      return /^(?:|active)$/i.test(textOf(document.status)) ? '' : 'yes';
    default: {
      const key = KEYS[field]?.find((one) => textOf(document[one]) !== '');
      return key === undefined ? '' : textOf(document[key]);
    }
  }
}

/** Date and time of the older form, or the one value of the list. */
function timeOf(date: unknown, time: unknown, whole: unknown): string {
  const parts = [date, time].map(textOf).filter((text) => text !== '');
  return parts.length > 0 ? parts.join(' ') : textOf(whole);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isYes(value: unknown): boolean {
  return /^(?:true|yes|1)$/i.test(textOf(value));
}

function isStatistics(document: SpooDocument): boolean {
  return 'metrics' in document && fieldOf(document, 'long_url') === '';
}

/** Destinations by country, which mean the same here; null where they break a rule, or for none. */
async function countriesOf({ geo_rules: told }: SpooDocument): Promise<SourceSettings | null> {
  const geo_rules = fieldsOf(told);
  const isFlat = geo_rules !== null && Object.values(geo_rules).every(isText);
  if (!isFlat || !isSet(geo_rules)) return null;
  const dropped = {};
  const settings = await settingsOf({ geo_rules }, ['geo_rules'], dropped);
  return isSet(dropped) ? null : settings;
}

/** Features that are lost, as JSON; null without any. */
function droppedOf(document: SpooDocument, features: readonly string[]): string | null {
  const lost = features.filter((name) => isSet(document[name]));
  if (lost.length === 0) return null;
  const told = JSON.stringify(Object.fromEntries(lost.map((name) => [name, document[name]])));
  return told.length > MAX_TOLD ? `${told.slice(0, MAX_TOLD)}…` : told;
}

function isSet(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}
