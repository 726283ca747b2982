/* eslint-disable no-control-regex -- control characters are what is looked for */
const RISKY = /^[=+\-@\uff1d\uff0b\uff0d\uff20\u0000-\u001f\u007f-\u009f]/;

/**
 * A text that no spreadsheet takes for a formula: a risky one gets a leading `'`. The full-width
 * forms of `=`, `+`, `-` and `@` are read as the plain ones where East Asian input is usual.
 */
export function safeCell(text: string): string {
  return RISKY.test(text) ? `'${text}` : text;
}

export type Cell = string | number | boolean | null;

/** A named table of a file: its header, then rows that come page by page. */
export interface Table {
  name: string;
  /** Null for a table without a header line. */
  header: readonly string[] | null;
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
    // eslint-disable-next-line @typescript-eslint/require-await -- large tables do wait
    async *rows() {
      yield rows;
    },
  };
}
