import { api, bodyOf, type Schemas } from '../api/client';
import { type Dimension, DIMENSIONS, parametersOf, type StatsQuery } from './stats-query';
import type { Span } from './span';

export type Statistics = Schemas['StatisticsResponse'];

/** Whose clicks are shown: those of the account, or of one link. */
export interface Subject {
  /** Begins the keys of its answers. */
  readonly key: string;
  readonly dimensions: readonly Dimension[];
  /** Nothing was there before this. */
  readonly since: Date | null;
  ask(query: StatsQuery, span: Span, groupBy: readonly string[]): Promise<Statistics>;
  /** Path of the same as a file. */
  file(query: StatsQuery, span: Span, groupBy: readonly string[], format: string): string;
}

export const ACCOUNT: Subject = {
  key: 'stats:account',
  dimensions: DIMENSIONS,
  since: null,
  ask: (query, span, groupBy) =>
    bodyOf(
      api.GET('/api/v1/stats', {
        params: { query: { scope: 'all', ...parametersOf(query, span, groupBy) } },
      }),
    ),
  file: (query, span, groupBy, format) =>
    fileAddress('/api/v1/export', {
      scope: 'all',
      format,
      ...parametersOf(query, span, groupBy),
    }),
};

export function linkSubject({ id, created_at }: Schemas['LinkItemResponse']): Subject {
  const since = new Date(created_at);
  // Without a start the API means seven days.
  const whole = (span: Span): Span => (span.start === null ? { ...span, start: since } : span);
  return {
    key: `stats:${id}`,
    dimensions: DIMENSIONS.filter((name) => name !== 'short_code'),
    since,
    ask: (query, span, groupBy) =>
      bodyOf(
        api.GET('/api/v1/stats/links/{url_id}', {
          params: { path: { url_id: id }, query: parametersOf(query, whole(span), groupBy) },
        }),
      ),
    file: (query, span, groupBy, format) =>
      fileAddress(`/api/v1/export/links/${id}`, {
        format,
        ...parametersOf(query, whole(span), groupBy),
      }),
  };
}

function fileAddress(path: string, parameters: Record<string, string>): string {
  return `${path}?${new URLSearchParams(parameters).toString()}`;
}

export interface StatsRow {
  readonly label: string;
  readonly clicks: number;
  readonly visitors: number;
}

/** A breakdown with both metrics in one row. */
export function rowsOf({ metrics }: Statistics, dimension: Dimension | 'time'): StatsRow[] {
  type Points = readonly Readonly<Record<string, string | number>>[];
  const lists = metrics as Readonly<Record<string, Points | undefined>>;
  const visitors = new Map(
    lists[`unique_clicks_by_${dimension}`]?.map((point) => [
      point[dimension],
      Number(point['unique_clicks']),
    ]),
  );
  return (lists[`clicks_by_${dimension}`] ?? []).map((point) => ({
    label: String(point[dimension]),
    clicks: Number(point['clicks']),
    visitors: visitors.get(point[dimension]) ?? 0,
  }));
}
