import type { Cell } from './csv-text';

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
