import { Counting } from '../../../src/analytics/engine/counting';
import type { Dimension } from '../../../src/analytics/dimensions';
import type {
  StatisticsResult,
  StatisticsQuestion,
} from '../../../src/analytics/engine/statistics-result';
import { type Segment, toSegment } from '../../../src/analytics/engine/segment';
import { StringInterner } from '../../../src/analytics/engine/string-interner';
import { decodeChunk, encodeChunk } from '../../../src/clicks/store/codec/chunk';
import type { Click } from '../../../src/clicks/store/click';

/** A question; nothing is asked but what is given. */
export const ask = (question: Partial<StatisticsQuestion> = {}): StatisticsQuestion => ({
  start: 0,
  end: 2 ** 45,
  dimensions: [],
  filters: {},
  buckets: null,
  ...question,
});

/** Stores each group as a chunk of its own link, decodes them and counts. */
export function count(
  groups: Record<string, Click[][]>,
  question: StatisticsQuestion,
  rows?: number,
): StatisticsResult {
  const vocabulary = new StringInterner();
  const aliases = new Map(Object.keys(groups).map((alias) => [`id-${alias}`, alias]));
  const segments: Segment[] = Object.entries(groups).flatMap(([alias, chunks]) =>
    chunks.map((clicks) => toSegment(`id-${alias}`, decodeChunk(encodeChunk(clicks)), vocabulary)),
  );
  const counting = new Counting(question, vocabulary, aliases);
  counting.add(segments);
  return counting.figures(rows);
}

export function rows(figures: StatisticsResult, dimension: Dimension) {
  const list = figures.breakdowns[dimension]!;
  return list.labels.map((label, i) => ({
    label,
    clicks: list.clicks[i]!,
    visitors: list.visitors[i]!,
  }));
}
