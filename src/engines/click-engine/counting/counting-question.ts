import { type Dimension, DIMENSIONS, STORED_DIMENSIONS, type StoredDimension } from '../dimensions';
import { type TimeBuckets, timeBuckets } from '../calendar/time-buckets';
import type { ReadColumn, ReadSelection } from '../reading/segment-reader';
import type { Criteria, StatisticsQuery } from '../statistics-query';
import type { InternedColumn, StringInterner } from '../reading/string-interner';
import type { LinkMarks, SourceMarks } from './source-marks';

/** Values of a column that pass: 1 at the number of each. */
interface ValueFilter {
  readonly name: ReadColumn;
  readonly passing: Uint8Array;
  /** The same for the alpha-2 codes beside a country, either of which may pass. */
  readonly codes: Uint8Array | null;
}

/** A list of a query: a dimension, links, their marks or times, with its metrics. */
export type CountedList =
  | { readonly by: 'time'; readonly starts: Float64Array }
  | { readonly by: 'link'; readonly size: number }
  | { readonly by: 'mark'; readonly size: number }
  | { readonly by: 'column'; readonly name: ReadColumn; readonly size: number };

/** A query in numbers: what a thread that counts has to know, and nothing else. */
export interface CountingQuestion {
  /** Null where all rows are within the range. */
  readonly range: { readonly start: number; readonly end: number } | null;
  readonly filters: readonly ValueFilter[];
  readonly lists: readonly CountedList[];
  /** The number of the link of each source. */
  readonly links: Uint32Array;
  /** Null where no list is by marks. */
  readonly marks: SourceMarks | null;
  /** 1 for each source whose rows pass; null where all do. */
  readonly passing: Uint8Array | null;
}

/** Facts about the sources of clicks that a question brings along. */
export interface QuestionSources {
  readonly links: Uint32Array;
  readonly marks: LinkMarks | null;
  /** 1 for each link whose clicks pass, by its number; null where all do. */
  readonly passingLinks: Uint8Array | null;
}

/** Counts of one range of visitors; arrays are by value number, lists in the question's order. */
export interface PartialCount {
  clicks: number;
  /** NO_VISITOR is none of them. */
  visitors: number;
  withoutVisitor: number;
  redirectMs: number;
  untimed: number;
  /** Null without clicks, or where the range was not looked at. */
  first: number | null;
  last: { at: number; browser: number; os: number; country: number } | null;
  lists: { clicks: Uint32Array; visitors: Uint32Array }[];
}

/** Whether a query is about all rows there are: then most is known without looking at them. */
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

/** All that is ever read. */
export const EVERYTHING: ReadSelection = {
  at: true,
  redirectMs: true,
  values: [...STORED_DIMENSIONS, 'country_code'],
};

/** The columns that a query needs; `whole` when every row there is passes. */
export function neededColumns(query: StatisticsQuery, whole: boolean): ReadSelection {
  const values = new Set<ReadColumn>(filteredDimensions(query.filters));
  if (values.has('country')) values.add('country_code');
  if ((query.audience ?? 'all') !== 'all') values.add('audience');
  for (const dimension of query.dimensions) {
    if (isStored(dimension)) values.add(dimension);
  }
  // Where not all rows pass, the last one that does has to be found, with its values.
  if (!whole) for (const name of ['browser', 'os', 'country'] as const) values.add(name);
  return {
    at: !whole || query.dimensions.includes('time'),
    redirectMs: !whole,
    values: [...values],
  };
}

/** Puts a query into the numbers of the interner. */
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
      return { by: 'column', name: dimension, size: countLabels(dimension) };
    }),
    links,
    marks: query.dimensions.includes('tag')
      ? (marks?.ofSources(toLinkIds(links, interner)) ?? null)
      : null,
    passing: passingLinks && Uint8Array.from(links, (link) => passingLinks[link] ?? 0),
  };
}

function toLinkIds(links: Uint32Array, interner: StringInterner): (string | null)[] {
  const { labels } = interner.column('link');
  return Array.from(links, (link) => labels[link] ?? null);
}

/** The buckets of a query by time. */
export function queryBuckets({ buckets, start, end }: StatisticsQuery): TimeBuckets {
  if (buckets === null) throw new RangeError('A breakdown by time needs buckets');
  return timeBuckets(buckets, start, end);
}

/** A country is matched by its name or by its alpha-2 code; everything else as stored. */
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
