import { Counting } from '../../../src/analytics/engine/counting';
import type { Dimension } from '../../../src/analytics/dimensions';
import type { StatisticsQuery } from '../../../src/analytics/engine/statistics-query';
import type { StatisticsResult } from '../../../src/analytics/engine/statistics-result';
import { type Segment, toSegment } from '../../../src/analytics/engine/segment';
import { StringInterner } from '../../../src/analytics/engine/string-interner';
import { decodeChunk, encodeChunk } from '../../../src/clicks/store/codec/chunk';
import type { Click } from '../../../src/clicks/store/click';

/** A query of nothing but what is given. */
export const aQuery = (query: Partial<StatisticsQuery> = {}): StatisticsQuery => ({
  start: 0,
  end: 2 ** 45,
  dimensions: [],
  filters: {},
  buckets: null,
  ...query,
});

/** Stores each group as a chunk of its own link, decodes them and counts. */
export function count(
  groups: Record<string, Click[][]>,
  query: StatisticsQuery,
  rows?: number,
): StatisticsResult {
  const interner = new StringInterner();
  const aliases = new Map(Object.keys(groups).map((alias) => [`id-${alias}`, alias]));
  const segments: Segment[] = Object.entries(groups).flatMap(([alias, chunks]) =>
    chunks.map((clicks) => toSegment(`id-${alias}`, decodeChunk(encodeChunk(clicks)), interner)),
  );
  const counting = new Counting(query, interner, aliases);
  counting.add(segments);
  return counting.result(rows);
}

export function rows(result: StatisticsResult, dimension: Dimension) {
  const list = result.breakdowns[dimension]!;
  return list.labels.map((label, i) => ({
    label,
    clicks: list.clicks[i]!,
    visitors: list.visitors[i]!,
  }));
}
