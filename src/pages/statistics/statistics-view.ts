/** A count for people: `1,234,567`. */
export function groupDigits(count: number): string {
  return count.toLocaleString('en');
}

/** A labelled count, as charts and lists show it. */
export interface Row {
  readonly label: string;
  readonly clicks: number;
  readonly visitors: number;
}

/** A breakdown with its heading; its largest rows by clicks, most first, and what was cut. */
export interface RowList {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly cut: { readonly values: number; readonly clicks: number };
}

/** Rows that the page shows of a breakdown. */
export const SHOWN_ROWS = 10;

/** A heading with its value. */
export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** Everything that the statistics page shows, as plain text and numbers. */
export interface StatisticsView {
  readonly alias: string;
  readonly shortUrl: string;
  readonly totals: readonly Fact[];
  readonly facts: readonly Fact[];
  /** Every day from creation to today, `YYYY-MM-DD`; empty without clicks. */
  readonly days: readonly Row[];
  readonly lists: readonly RowList[];
  /** File formats that the statistics can be had in. */
  readonly formats: readonly string[];
}
