import type { Import } from '../import';
import type { SourceLink } from '../source-link';

/** A row that cannot be read. */
export interface UnreadableRow {
  readonly row: number;
  readonly problem: string;
}

export type FoundRow = SourceLink | UnreadableRow;

/** Rows that one step takes at most, which holds them in memory. */
export const MAX_PAGE_ROWS = 500;
/** Bytes of a source after which a page takes no further row. */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** Some rows of a source, in its order. */
export interface ReadPage {
  readonly rows: readonly FoundRow[];
  /** Number of the first row after them. */
  readonly nextRow: number;
  /** Where the page after this one begins, as JSON of some hundred bytes; null at the end. */
  readonly next: object | null;
}

/**
 * Reads the links of one kind of source. The same position gives the same page, in whatever process,
 * which is what lets an import go on after a kill.
 */
export interface ImportReader {
  /**
   * The page at a position that an earlier page named, or the first one for null.
   *
   * @param firstRow number of the first row that is not read yet, counted from 1
   * @throws CurtailError of a status below 500 for a source that is not what was said
   */
  page(of: Import, position: object | null, firstRow: number): Promise<ReadPage>;
}
