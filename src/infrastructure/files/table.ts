/* eslint-disable no-control-regex -- control characters are what is looked for */
const RISKY = /^[=+\-@\uff1d\uff0b\uff0d\uff20\u0000-\u001f\u007f-\u009f]/;

/** Prefixes formulas with `'`, also those that begin with a full-width `=`, `+`, `-` or `@`. */
export function safeCell(text: string): string {
  return RISKY.test(text) ? `'${text}` : text;
}

/** Removes the prefix that `safeCell` has added. */
export function withoutGuard(cell: string): string {
  return cell.startsWith("'") && RISKY.test(cell.slice(1)) ? cell.slice(1) : cell;
}

export interface DateCell {
  text: string;
  /** Milliseconds since 1970-01-01 in the time zone of `text`. */
  at: number;
  format: 'yyyy-mm-dd' | 'yyyy-mm' | 'yyyy-mm-dd hh:mm:ss';
}

export type Cell = string | number | boolean | null | DateCell;

export interface Table {
  name: string;
  header: readonly string[] | null;
  /** Characters per column, if all rows are known. */
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
    // eslint-disable-next-line @typescript-eslint/require-await -- large tables do wait
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
