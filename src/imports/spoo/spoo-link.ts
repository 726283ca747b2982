import { CSV_FIELDS, type CsvColumns, type CsvField } from '../csv/csv-fields';
import type { FoundRow } from '../reading/import-reader';
import { linksOfRow, textsProblem } from '../source-link';
import { countsOfDocument } from './spoo-counts';

/** A link of spoo.me: an item of its list, or a file of the older form (docs/contract.md#13.3). */
export type SpooDocument = Readonly<Record<string, unknown>>;

/** Keys that hold a field of ours, in either form; the first that is there counts. */
const KEYS: Readonly<Partial<Record<CsvField, readonly string[]>>> = {
  long_url: ['url', 'long_url'],
  alias: ['short_code', 'alias', '_id'],
  domain: ['domain'],
  max_clicks: ['max-clicks', 'max_clicks'],
  clicks: ['total-clicks', 'total_clicks'],
  password: ['password', 'password_set'],
  created_at: ['creation-date', 'created_at'],
  expire_after: ['expiration-time', 'expire_after'],
  archived: ['status'],
};
/** Features of which links of ours have no such field. */
const WITHOUT_FIELD = ['geo_rules', 'meta_tags'];
const MAX_TOLD = 500;
const STATISTICS =
  'These are statistics, which do not say where the link leads: give the older form of export, or the list of links';

/** The link of a document; its times are those of UTC. */
export function linkOfDocument(row: number, document: SpooDocument, isGuessed: boolean): FoundRow {
  const fields = CSV_FIELDS.map((field) => fieldOf(document, field));
  const problem = textsProblem(fields);
  if (problem !== null) return { row, problem };
  const [link] = linksOfRow(row, fields, columnsOf(document), { timezone: 'UTC', isGuessed });
  if (link === undefined) return { row, problem: 'no link' };
  const dropped = droppedOf(document);
  const counts = countsOfDocument(document);
  const told = [link.message, dropped, isStatistics(document) ? STATISTICS : null];
  return {
    ...link,
    ...(counts !== null && { counts }),
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

/** Numbers and texts as text; whatever else says nothing. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function isYes(value: unknown): boolean {
  return /^(?:true|yes|1)$/i.test(textOf(value));
}

function isStatistics(document: SpooDocument): boolean {
  return 'metrics' in document && fieldOf(document, 'long_url') === '';
}

/** Features that are lost, as JSON; null without any. */
function droppedOf(document: SpooDocument): string | null {
  const lost = WITHOUT_FIELD.filter((name) => isSet(document[name]));
  if (lost.length === 0) return null;
  try {
    const told = JSON.stringify(Object.fromEntries(lost.map((name) => [name, document[name]])));
    return told.length > MAX_TOLD ? `${told.slice(0, MAX_TOLD)}…` : told;
  } catch {
    // Nested too deep to be written.
    return lost.join(', ');
  }
}

function isSet(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}
