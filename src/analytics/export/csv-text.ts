import { safeCell } from './safe-cell';

export type Cell = string | number | boolean | null;

/**
 * One line of a CSV file (RFC 4180, CRLF), safe against formulas; null is an empty cell. Every text
 * is quoted, so that a program which separates by `;` or tabs cannot cut a formula out of it.
 */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

/** The line of a header: names of our own, as contract 10 prints them. */
export function csvHeader(names: readonly string[]): string {
  return `${names.join(',')}\r\n`;
}

function cellText(cell: Cell): string {
  if (cell === null) return '';
  return typeof cell === 'string' ? `"${safeCell(cell).replaceAll('"', '""')}"` : String(cell);
}
