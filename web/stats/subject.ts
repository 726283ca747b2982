import { api, bodyOf, type Schemas } from '../api/client';
import { hasRefusedZone } from '../api/failure';
import { refuseZone } from '../data/zones';
import type { StatsRow } from './compare-rows';
import { type Cut, type Dimension, DIMENSIONS, parametersOf, type StatsQuery } from './stats-query';
import type { Span } from './span';

export type Statistics = Schemas['StatisticsResponse'];

export interface Subject {
  /** Prefix of cache keys. */
  readonly key: string;
  readonly dimensions: readonly Dimension[];
  /** The only link, whose destinations are named. */
  readonly link?: Schemas['LinkItemResponse'];
  /** There are no clicks before this time. */
  readonly since: Date | null;
  ask(query: StatsQuery, span: Span, groupBy: readonly string[], cut?: Cut): Promise<Statistics>;
  /** Returns the file export's path. */
  file(
    query: StatsQuery,
    span: Span,
    groupBy: readonly string[],
    format: string,
    cut?: Cut,
  ): string;
}

export const ACCOUNT: Subject = {
  key: 'stats:account',
  // Omits variants, which differ between links.
  dimensions: DIMENSIONS.filter((name) => name !== 'variant'),
  since: null,
  ask: (query, span, groupBy, cut) =>
    inZone(
      query.zone,
      bodyOf(
        api.GET('/api/v1/stats', {
          params: { query: { scope: 'all', ...parametersOf(query, span, groupBy, cut) } },
        }),
      ),
    ),
  file: (query, span, groupBy, format, cut) =>
    fileAddress('/api/v1/export', {
      scope: 'all',
      format,
      ...parametersOf(query, span, groupBy, cut),
    }),
};

export function linkSubject(link: Schemas['LinkItemResponse']): Subject {
  const { id, created_at } = link;
  const since = new Date(created_at);
  // Sets a start, because the API returns only seven days without one.
  const whole = (span: Span): Span => (span.start === null ? { ...span, start: since } : span);
  return {
    key: `stats:${id}`,
    link,
    dimensions: DIMENSIONS.filter((name) => name !== 'short_code' && name !== 'tag'),
    since,
    ask: (query, span, groupBy, cut) =>
      inZone(
        query.zone,
        bodyOf(
          api.GET('/api/v1/stats/links/{url_id}', {
            params: { path: { url_id: id }, query: parametersOf(query, whole(span), groupBy, cut) },
          }),
        ),
      ),
    file: (query, span, groupBy, format, cut) =>
      fileAddress(`/api/v1/export/links/${id}`, {
        format,
        ...parametersOf(query, whole(span), groupBy, cut),
      }),
  };
}

/** If the API rejects a zone, repeats the query in UTC and uses UTC from then on. */
async function inZone(zone: string, answer: Promise<Statistics>): Promise<Statistics> {
  try {
    return await answer;
  } catch (thrown) {
    if (hasRefusedZone(thrown)) refuseZone(zone);
    throw thrown;
  }
}

function fileAddress(path: string, parameters: Record<string, string | number | boolean>): string {
  const texts = Object.entries(parameters).map(([name, value]) => [name, String(value)]);
  return `${path}?${new URLSearchParams(texts).toString()}`;
}

/** Returns the clicks imported as totals. Filters other than by link do not apply to them. */
export function importedOf({ filters, imported }: Statistics): number {
  const applied = Object.keys(filters).filter((name) => name !== 'short_code');
  return applied.length > 0 ? 0 : (imported?.clicks ?? 0);
}

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
