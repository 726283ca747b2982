import { CSV_FIELDS, type CsvField } from './csv-fields';
import type { ImportOptions } from '../store/import';
import type { UnreadableRow } from './import-reader';
import { linksOfRow, type SourceLink, textsProblem } from './source-link';
import { toFields, toText } from './json-answer';

export type LinkKeys = Readonly<Partial<Record<CsvField, string>>>;

/** Parses a link in a JSON list; numbers and booleans become text. */
export function linkOfJson(
  item: unknown,
  row: number,
  keys: LinkKeys,
  options: Pick<ImportOptions, 'timezone'>,
): SourceLink | UnreadableRow {
  const link = toFields(item);
  if (link === null) return { row, problem: 'no link' };
  const names = CSV_FIELDS.map((field) => [field, keys[field] ?? ''] as const);
  const texts = names.map(([, key]) => toText(link[key]));
  const problem = textsProblem(texts);
  if (problem !== null) return { row, problem };
  const places = names.flatMap(([field, key], place) => (key in link ? [[field, place]] : []));
  const [read] = linksOfRow(row, texts, Object.fromEntries(places) as object, options);
  return read ?? { row, problem: 'no link' };
}
