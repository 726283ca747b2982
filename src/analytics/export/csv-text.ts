import { safeCell } from './safe-cell';

export type Cell = string | number | boolean | null;

/** One line of a CSV file (RFC 4180, CRLF), safe against formulas; null is an empty cell. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const safe = safeCell(cell);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
