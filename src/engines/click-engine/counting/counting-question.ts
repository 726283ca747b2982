import { type TimeBuckets, timeBuckets } from '../calendar/time-buckets';
import type { ReadColumn, ReadSelection } from '../reading/segment-reader';
import {
  type Criteria,
  type Dimension,
  DIMENSIONS,
  shownValues,
  type StatisticsQuery,
  STORED_DIMENSIONS,
  type StoredDimension,
} from '../query/statistics-query';
import type { InternedColumn, StringInterner } from '../reading/string-interner';
import type { LinkMarks, SourceMarks } from './source-marks';

interface ValueFilter {
  readonly name: ReadColumn;
  readonly passing: Uint8Array;
  /** Filter by country code; a row passes if its country's name or code matches. */
  readonly codes: Uint8Array | null;
}

export type CountedList =
  | { readonly by: 'time'; readonly starts: Float64Array }
  | { readonly by: 'link'; readonly size: number }
  | { readonly by: 'mark'; readonly size: number }
  | {
      readonly by: 'column';
      readonly name: ReadColumn;
      readonly size: number;
      /** The value that each value is counted as; null for itself. */
      readonly counted: Uint32Array | null;
    };

/** A query with numbers instead of strings; the complete input of a counting thread. */
export interface CountingQuestion {
  /** Null if all rows are known to be in the range. */
  readonly range: { readonly start: number; readonly end: number } | null;
  readonly filters: readonly ValueFilter[];
  readonly lists: readonly CountedList[];
  /** Each source's link number. */
  readonly links: Uint32Array;
  readonly marks: SourceMarks | null;
  /** 1 for each source whose rows pass the filter; null without a filter. */
  readonly passing: Uint8Array | null;
}

export interface QuestionSources {
  readonly links: Uint32Array;
  readonly marks: LinkMarks | null;
  /** 1 for each link number whose clicks pass the filter; null without a filter. */
  readonly passingLinks: Uint8Array | null;
}

/** Counts for a range of visitors; lists are in query order, and arrays are by value number. */
export interface PartialCount {
  clicks: number;
  /** Does not count NO_VISITOR. */
  visitors: number;
  withoutVisitor: number;
  redirectMs: number;
  untimed: number;
  /** Null if there are no clicks or the query did not examine times. */
  first: number | null;
  last: { at: number; browser: number; os: number; country: number } | null;
  lists: { clicks: Uint32Array; visitors: Uint32Array }[];
}

export function isUnfiltered({ filters, audience = 'all' }: Criteria): boolean {
  if (audience !== 'all' || filters.tag !== undefined) return false;
  return filteredDimensions(filters).length === 0;
}

function filteredDimensions(filters: Criteria['filters']): StoredDimension[] {
  return STORED_DIMENSIONS.filter((name) => filters[name] !== undefined);
}

function isStored(dimension: Dimension): dimension is StoredDimension {
  return DIMENSIONS[dimension].column !== null;
}

export const EVERYTHING: ReadSelection = {
  at: true,
  redirectMs: true,
  values: [...STORED_DIMENSIONS, 'country_code'],
};

export function neededColumns(query: StatisticsQuery, whole: boolean): ReadSelection {
  const values = new Set<ReadColumn>(filteredDimensions(query.filters));
  if (values.has('country')) values.add('country_code');
  if ((query.audience ?? 'all') !== 'all') values.add('audience');
  for (const dimension of query.dimensions) {
    if (isStored(dimension)) values.add(dimension);
  }
  // A filtered query must also read the values shown for the last click.
  if (!whole) for (const name of ['browser', 'os', 'country'] as const) values.add(name);
  return {
    at: !whole || query.dimensions.includes('time'),
    redirectMs: !whole,
    values: [...values],
  };
}

export function countingQuestion(
  query: StatisticsQuery,
  inRange: boolean,
  interner: StringInterner,
  { links, marks, passingLinks }: QuestionSources,
): CountingQuestion {
  const { start, end } = query;
  const countLabels = (name: InternedColumn): number => interner.column(name).labels.length;
  return {
    range: inRange ? null : { start, end },
    filters: valueFilters(query, interner),
    lists: query.dimensions.map((dimension): CountedList => {
      if (dimension === 'time') return { by: 'time', starts: queryBuckets(query).starts };
      if (dimension === 'short_code') return { by: 'link', size: countLabels('link') };
      if (dimension === 'tag') return { by: 'mark', size: marks?.labels.length ?? 0 };
      const counted = mergedNumbers(query, dimension, interner);
      return { by: 'column', name: dimension, size: countLabels(dimension), counted };
    }),
    links,
    marks: query.dimensions.includes('tag')
      ? (marks?.ofSources(toLinkIds(links, interner)) ?? null)
      : null,
    passing: passingLinks && Uint8Array.from(links, (link) => passingLinks[link] ?? 0),
  };
}

/** Maps values that are shown alike to the first of them, so that a visitor counts once. */
function mergedNumbers(
  query: StatisticsQuery,
  dimension: StoredDimension,
  interner: StringInterner,
): Uint32Array | null {
  const shown = shownValues(query, dimension);
  if (shown === undefined) return null;
  const firsts = new Map<string | null, number>();
  return Uint32Array.from(interner.column(dimension).labels, (label, number) => {
    const value = shown.get(label ?? '') ?? label;
    const first = firsts.get(value) ?? number;
    firsts.set(value, first);
    return first;
  });
}

function toLinkIds(links: Uint32Array, interner: StringInterner): (string | null)[] {
  const { labels } = interner.column('link');
  return Array.from(links, (link) => labels[link] ?? null);
}

export function queryBuckets({ buckets, start, end }: StatisticsQuery): TimeBuckets {
  if (buckets === null) throw new RangeError('A breakdown by time needs buckets');
  return timeBuckets(buckets, start, end);
}

function valueFilters(
  { audience = 'all', filters }: Criteria,
  interner: StringInterner,
): ValueFilter[] {
  const dimensionFilters = filteredDimensions(filters).map((name): ValueFilter => {
    const values = filters[name] ?? [];
    const codes = name === 'country' ? interner.column('country_code').passing(values) : null;
    return { name, passing: interner.column(name).passing(values), codes };
  });
  if (audience === 'all') return dimensionFilters;
  const passing = interner.column('audience').passing([audience]);
  return [...dimensionFilters, { name: 'audience', passing, codes: null }];
}
