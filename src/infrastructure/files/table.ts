/* eslint-disable no-control-regex -- control characters are what is looked for */
const RISKY = /^'*[=+\-@\uff1d\uff0b\uff0d\uff20\u0000-\u001f\u007f-\u009f]/;

/**
 * Adds the prefix `'` to text that programs read as a formula, including full-width `=+-@`, and to
 * text that already has the prefix, so that `withoutGuard` restores it.
 */
export function safeCell(text: string): string {
  return RISKY.test(text) ? `'${text}` : text;
}

/** Removes the prefix that `safeCell` adds. */
export function withoutGuard(cell: string): string {
  return cell.startsWith("'") && RISKY.test(cell.slice(1)) ? cell.slice(1) : cell;
}

export interface DateCell {
  text: string;
  /** Local time, in milliseconds since 1970-01-01 as if it were UTC. */
  at: number;
  format: 'yyyy-mm-dd' | 'yyyy-mm' | 'yyyy-mm-dd hh:mm:ss';
}

export type Cell = string | number | boolean | null | DateCell;

export interface Table {
  name: string;
  header: readonly string[] | null;
  /** Width of each column in characters; absent unless all rows are known. */
  widths?: readonly number[];
  rows: () => AsyncIterable<readonly (readonly Cell[])[]>;
}

export function smallTable(
  name: string,
  header: readonly string[] | null,
  rows: readonly (readonly Cell[])[],
): Table {
  return {
    name,
    header,
    widths: columnWidths([...(header === null ? [] : [header]), ...rows]),
    // eslint-disable-next-line @typescript-eslint/require-await -- large tables do await their rows
    async *rows() {
      yield rows;
    },
  };
}

function columnWidths(rows: readonly (readonly Cell[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      const text = typeof cell === 'object' && cell !== null ? cell.text : String(cell ?? '');
      widths[column] = Math.max(widths[column] ?? 0, text.length);
    });
  }
  return widths;
}
