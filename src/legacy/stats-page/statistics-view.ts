import type { ResultRow } from '../../analytics/open-result';
import type { PageStatisticsQuery } from '../../analytics/page-statistics.service';
import type { Viewer } from '../../common/http/page';
import type { PageQuery } from './page-query';

/** A labelled count, as charts and lists show it. */
export type Row = ResultRow;

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

/** Clicks over time, zeros included. */
export interface TimeSeries {
  readonly buckets: PageStatisticsQuery['buckets'];
  /** `partial` of a bucket that is no whole one: why. */
  readonly rows: readonly (Row & { readonly partial?: string })[];
}

/** Everything that the statistics page shows, as plain text and numbers. */
export interface StatisticsView {
  readonly alias: string;
  readonly shortUrl: string;
  readonly viewer: Viewer | null;
  /** True where the viewer alone may see this page. */
  readonly isPrivate: boolean;
  /** Null where nobody is told any more. */
  readonly destination: string | null;
  readonly query: PageQuery;
  /** From when to when, in words. */
  readonly period: string;
  readonly totals: readonly Fact[];
  /** Clicks that the audience leaves out, or that are not by people, in words; null without any. */
  readonly otherClasses: string | null;
  readonly series: TimeSeries;
  readonly lists: readonly RowList[];
  /** Whether any click carried a campaign. */
  readonly hasCampaigns: boolean;
  /** Clicks that are counted here, and all that there have ever been. */
  readonly clicks: number;
  readonly allClicks: number;
  readonly facts: readonly Fact[];
  /** True where the licence of the place data asks for a credit. */
  readonly showsPlaceSource: boolean;
}
