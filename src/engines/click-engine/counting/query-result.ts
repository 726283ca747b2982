import type { Cancellation } from '../query/cancellation';
import { queryBuckets, type PartialCount } from './counting-question';
import { DIMENSIONS, type Dimension } from '../query/dimensions';
import type { LinkMarks } from './source-marks';
import {
  rankedBreakdown,
  relabelling,
  serialBreakdown,
  type ValueCounts,
} from './ranked-breakdown';
import type { SourceFigures } from '../reading/segment-reader';
import type { LinkName, StatisticsQuery } from '../query/statistics-query';
import type { Breakdown, StatisticsResult, Summary } from '../query/statistics-result';
import type { StringInterner } from '../reading/string-interner';

/** Summary figures that require no row scan if the query counts all rows. */
export type SummaryFigures = Omit<SourceFigures, 'source'>;

export interface ShardCounts {
  readonly partials: readonly PartialCount[];
  /** Null if rows had to be scanned. */
  readonly figures: SummaryFigures | null;
}

export interface ResultOptions {
  readonly interner: StringInterner;
  /** Links by ID; their aliases are the labels for `short_code`. */
  readonly links: ReadonlyMap<string, LinkName>;
  readonly marks: LinkMarks | null;
  /** Maximum rows per breakdown, largest first; breakdowns by time are never truncated. */
  readonly rows: number;
  readonly cancellation: Cancellation;
}

export function buildResult(
  query: StatisticsQuery,
  counted: ShardCounts,
  options: ResultOptions,
): StatisticsResult {
  const breakdowns: Partial<Record<Dimension, Breakdown>> = {};
  const summary = summarize(counted, options.interner);
  query.dimensions.forEach((dimension, place) => {
    options.cancellation.check();
    const counts = summed(counted.partials.map(({ lists }) => lists[place]));
    const breakdown = buildBreakdown(dimension, counts, query, options);
    breakdowns[dimension] =
      dimension === 'tag'
        ? { ...breakdown, clicksSum: summary.clicks, visitorsSum: summary.visitors }
        : breakdown;
  });
  return { summary, breakdowns };
}

function summed(lists: readonly (ValueCounts | undefined)[]): ValueCounts {
  const size = lists.reduce((most, list) => Math.max(most, list?.clicks.length ?? 0), 0);
  const sum = { clicks: new Uint32Array(size), visitors: new Uint32Array(size) };
  for (const list of lists) {
    for (const name of ['clicks', 'visitors'] as const) {
      const into = sum[name];
      list?.[name].forEach((count, value) => {
        into[value] = (into[value] ?? 0) + count;
      });
    }
  }
  return sum;
}

function buildBreakdown(
  dimension: Dimension,
  counts: ValueCounts,
  query: StatisticsQuery,
  { interner, links, marks, rows, cancellation }: ResultOptions,
): Breakdown {
  if (dimension === 'time') return serialBreakdown(counts, queryBuckets(query).labels);
  const ranking = { rows, relabel: relabelling(query, dimension), cancellation };
  if (dimension === 'short_code') {
    const { labels: ids } = interner.column('link');
    return rankedBreakdown(counts, (value) => links.get(ids[value] ?? '')?.alias ?? null, ranking);
  }
  const labels = dimension === 'tag' ? (marks?.labels ?? []) : interner.column(dimension).labels;
  return rankedBreakdown(counts, (value) => labels[value] ?? null, ranking);
}

function summarize({ partials, figures }: ShardCounts, interner: StringInterner): Summary {
  const sum = (getCount: (partial: PartialCount) => number): number =>
    partials.reduce((total, partial) => total + getCount(partial), 0);
  const [clicks, visitors] = [sum((part) => part.clicks), sum((part) => part.visitors)];
  const withoutVisitor = sum((part) => part.withoutVisitor);
  if (figures !== null) {
    const { from: first, to, redirectMs, untimed, last } = figures;
    const lastLabel = (name: keyof typeof last): string => last[name] ?? DIMENSIONS[name].missing;
    const labels = {
      browser: lastLabel('browser'),
      os: lastLabel('os'),
      country: lastLabel('country'),
    };
    const latest = { at: to, ...labels };
    return { clicks, visitors, withoutVisitor, first, last: latest, redirectMs, untimed };
  }
  let first = Infinity;
  let last: PartialCount['last'] = null;
  for (const part of partials) {
    first = Math.min(first, part.first ?? Infinity);
    if (part.last !== null && part.last.at > (last?.at ?? -Infinity)) last = part.last;
  }
  const label = (name: 'browser' | 'os' | 'country'): string =>
    interner.column(name).labels[last?.[name] ?? 0] ?? '';
  return {
    clicks,
    visitors,
    withoutVisitor,
    first: last && first,
    last: last && {
      at: last.at,
      browser: label('browser'),
      os: label('os'),
      country: label('country'),
    },
    redirectMs: sum((part) => part.redirectMs),
    untimed: sum((part) => part.untimed),
  };
}
