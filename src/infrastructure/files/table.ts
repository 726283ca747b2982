/* eslint-disable no-control-regex -- control characters are what is looked for */
const RISKY = /^[=+\-@\uff1d\uff0b\uff0d\uff20\u0000-\u001f\u007f-\u009f]/;

/**
 * A text that no spreadsheet takes for a formula: a risky one gets a leading `'`. The full-width
 * forms of `=`, `+`, `-` and `@` are read as the plain ones where East Asian input is usual.
 */
export function safeCell(text: string): string {
  return RISKY.test(text) ? `'${text}` : text;
}

/** A time: workbooks hold the date itself, files of text the text. */
export interface DateCell {
  text: string;
  /** Milliseconds since 1970-01-01, on the clock that the text is of. */
  at: number;
  /** How a workbook shows it. */
  format: 'yyyy-mm-dd' | 'yyyy-mm' | 'yyyy-mm-dd hh:mm:ss';
}

export type Cell = string | number | boolean | null | DateCell;

/** A named table of a file: its header, then rows that come page by page. */
export interface Table {
  name: string;
  /** Null for a table without a header line. */
  header: readonly string[] | null;
  /** Characters that each column needs, where all rows are known. */
  widths?: readonly number[];
  rows: () => AsyncIterable<readonly (readonly Cell[])[]>;
}

/** A table whose rows are all there. */
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
