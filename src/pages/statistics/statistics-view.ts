/** A labelled count, as charts and lists show it. */
export interface Row {
  readonly label: string;
  readonly clicks: number;
  readonly visitors: number;
}

/** A breakdown with its heading; rows by clicks, most first. */
export interface RowList {
  readonly title: string;
  readonly rows: readonly Row[];
}

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
}
