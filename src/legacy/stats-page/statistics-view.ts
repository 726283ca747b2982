import type { ResultList, ResultRow } from '../../analytics/engine/statistics-engine';
import type { LinkStatisticsQuery } from '../../analytics/link-statistics.service';
import type { Viewer } from '../../common/http/page';
import type { PageQuery } from './page-query';

export type Row = ResultRow;

export interface RowList extends Pick<ResultList, 'rows'> {
  readonly title: string;
  readonly cut: Omit<ResultList['cut'], 'visitors'>;
}

export const SHOWN_ROWS = 10;

export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** Time buckets, including those without clicks. */
export interface TimeSeries {
  readonly buckets: LinkStatisticsQuery['buckets'];
  /** `partial` explains why a bucket is incomplete. */
  readonly rows: readonly (Row & { readonly partial?: string })[];
}

export interface StatisticsView {
  readonly alias: string;
  readonly shortUrl: string;
  readonly viewer: Viewer | null;
  /** Whether only the owner can see this page. */
  readonly isPrivate: boolean;
  /** Null for closed links. */
  readonly destination: string | null;
  readonly query: PageQuery;
  readonly period: string;
  readonly totals: readonly Fact[];
  /** Text about excluded clicks or clicks by previews and bots; null if there are none. */
  readonly otherClasses: string | null;
  readonly series: TimeSeries;
  readonly lists: readonly RowList[];
  readonly hasCampaigns: boolean;
  /** Clicks in this view; `allClicks` are those since the link's creation. */
  readonly clicks: number;
  readonly allClicks: number;
  readonly facts: readonly Fact[];
  /** Whether the location data licence requires a credit. */
  readonly showsPlaceSource: boolean;
}
