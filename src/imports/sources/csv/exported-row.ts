import { boundedJson } from '../../../common/http/json-bodies';
import { withoutGuard } from '../../../infrastructure/files/table';
import { FIELD_ROWS } from '../../../stores/links/link-fields';
import type { JsonFields } from '../../reading/json-answer';

const TEXTS: readonly string[] = FIELD_ROWS.filter(({ kind }) => kind === 'text').map(
  ({ name }) => name,
);

export interface ExportedRow {
  /** The link as specified in docs/contract.md#6.1. */
  readonly item: JsonFields;
  /** Fields under the names that all CSV files use. */
  readonly fields: readonly string[];
}

/** A row in a Curtail CSV export, as written by `LinkExportService`. */
export function toExportedRow(header: readonly string[], row: readonly string[]): ExportedRow {
  const cells = row.map(withoutGuard);
  return {
    item: Object.fromEntries(
      header.map((name, place) => [name, cellValue(name, cells[place] ?? '')]),
    ),
    fields: cells.map((cell, place) => toForeignCell(header[place], cell)),
  };
}

function toForeignCell(name: string | undefined, cell: string): string {
  if (name === 'status') return cell === 'ACTIVE' ? '' : 'yes';
  // A JSON list, because tag names may contain other services' separators.
  return name === 'tags' && cell !== '' ? JSON.stringify(cell.split(', ')) : cell;
}

/** Spreadsheets write TRUE and FALSE. */
function cellValue(name: string, cell: string): unknown {
  if (cell === '') return null;
  if (TEXTS.includes(name)) return cell;
  const text = /^(?:true|false)$/i.test(cell) ? cell.toLowerCase() : cell;
  if (!/^[[{\dtf]/.test(text)) return cell;
  const read = boundedJson(Buffer.from(text));
  return 'value' in read ? read.value : cell;
}
