import { CurtailError } from '../../../common/errors';
import { boundedJson } from '../../../common/http/json-bodies';
import { parseTime } from '../../../common/time';
import type { QrStyle } from '../../../stores/links/link';
import { toQrStyle } from '../../../qr/qr-style';
import { QrStyleDto } from '../../../qr/qr.dto';
import { distinctTagNames, MAX_TAGS_OF_LINK, tagNameProblem } from '../../../stores/tags/tag';
import { shaped, toCount, toFields, withExported } from '../../reading/json-answer';
import { CSV_FIELDS, type CsvColumns, type CsvField } from '../../reading/csv-fields';
import type { FoundRow } from '../../reading/import-reader';
import type { Line } from './lines';
import type { ExportedCounts } from './export-codec';
import { linksOfRow, textsProblem } from '../../reading/source-link';

/** A line in `links.ndjson`: a link as in docs/contract.md#6.1 with `updated_at` and `qr`. */
export type ExportedItem = Readonly<Record<string, unknown>>;

const EXPORT_FIELDS: Readonly<Partial<Record<CsvField, string>>> = {
  long_url: 'long_url',
  alias: 'alias',
  domain: 'domain',
  link_id: 'id',
  title: 'title',
  note: 'note',
  created_at: 'created_at',
  expire_after: 'expire_after',
  max_clicks: 'max_clicks',
  archived: 'status',
  tags: 'tags',
  password: 'password_set',
};
const EXPORTED_COLUMNS: CsvColumns = Object.fromEntries(
  CSV_FIELDS.flatMap((field, place) => (field in EXPORT_FIELDS ? [[field, place]] : [])),
);

export function parseItem({
  bytes,
  problem,
}: Pick<Line, 'bytes' | 'problem'>): ExportedItem | string {
  if (problem !== null) return problem;
  const read = boundedJson(bytes);
  return 'problem' in read ? read.problem : (toFields(read.value) ?? 'broken JSON');
}

export interface ExportedHistory {
  /** Number of exported clicks; null if the export has no clicks. */
  readonly clicks: number | null;
  readonly counts: ExportedCounts | null;
}

export async function linkOfItem(
  row: number,
  item: ExportedItem,
  { clicks, counts }: ExportedHistory,
): Promise<FoundRow> {
  const fields = CSV_FIELDS.map((field) => itemField(item, field));
  const problem = textsProblem(fields);
  if (problem !== null) return { row, problem };
  const [link] = linksOfRow(row, fields, EXPORTED_COLUMNS, { timezone: 'UTC' });
  if (link === undefined) return { row, problem: 'no link' };
  const dropped: Record<string, string> = {};
  const total = toCount(item.total_clicks);
  const known = {
    ...link,
    tagNames: exportedTags(item, dropped),
    qrStyle: await readQrStyle(item, dropped),
    maxClicks: toCount(item.max_clicks) || null,
    clicks: total,
    singles: clicks ?? 0,
    pastClicks: clicks ?? total,
    // Kept to the millisecond, so that an export of the imported link is identical.
    createdAt: toPastTime(item.created_at) ?? link.createdAt,
    updatedAt: toPastTime(item.updated_at),
    ...(counts !== null && { counts: counts.series, countsSource: counts.source }),
  };
  const imported = { imported_clicks: counts?.clicks ?? 0 };
  return withExported(known, { ...item, ...imported }, dropped);
}

function itemField(item: ExportedItem, field: CsvField): string {
  const value = item[EXPORT_FIELDS[field] ?? ''];
  if (field === 'archived') return value === 'ACTIVE' ? '' : 'yes';
  // Tags are read separately, because tag names may contain CSV separators.
  if (field === 'tags') return '';
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** Accepts Unix seconds and time strings; null if the time is missing or in the future. */
function toPastTime(value: unknown): Date | null {
  const at = typeof value === 'number' || typeof value === 'string' ? parseTime(value) : null;
  return at === null || at > Date.now() ? null : new Date(at);
}

function exportedTags({ tags }: ExportedItem, dropped: Record<string, string>): string[] {
  const given = Array.isArray(tags) ? (tags as unknown[]) : [];
  const names = given.filter((name) => typeof name === 'string' && tagNameProblem(name) === null);
  const kept = distinctTagNames(names as string[]).slice(0, MAX_TAGS_OF_LINK);
  if (kept.length < given.length) dropped.tags = `${given.length - kept.length} of ${given.length}`;
  return kept;
}

async function readQrStyle(
  { qr }: ExportedItem,
  dropped: Record<string, string>,
): Promise<QrStyle | null> {
  if (qr === null || qr === undefined) return null;
  try {
    return toQrStyle(await shaped(qr, QrStyleDto), null);
  } catch (error) {
    if (!(error instanceof CurtailError)) throw error;
    dropped.qr = error.message;
    return null;
  }
}
