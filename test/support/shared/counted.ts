import type {
  Dimension,
  StatisticsQuery,
  StatisticsResult,
} from '../../../src/engines/click-engine/query/statistics-query';
import type { Click } from '../../../src/engines/click-engine/chunk/click';
import { aLocalEngine, StoredClicksInMemory } from './local-engine';

export const aQuery = (query: Partial<StatisticsQuery> = {}): StatisticsQuery => ({
  start: 0,
  end: 2 ** 45,
  dimensions: [],
  filters: {},
  buckets: null,
  ...query,
});

/**
 * Stores each group as a chunk of a separate link, alternating with blocks, and counts.
 * @param marks labels by link alias
 */
export function countClicks(
  groups: Record<string, Click[][]>,
  query: StatisticsQuery,
  rows?: number,
  {
    marks = {},
    ...options
  }: Parameters<typeof aLocalEngine>[1] & { marks?: Record<string, readonly string[]> } = {},
): Promise<StatisticsResult> {
  const stored = new StoredClicksInMemory();
  for (const [alias, labels] of Object.entries(marks)) stored.marks[`id-${alias}`] = labels;
  for (const [alias, chunks] of Object.entries(groups)) {
    chunks.forEach((clicks, i) => {
      if (i % 2 === 0) stored.addBlock(`id-${alias}`, clicks);
      else stored.addInline(`id-${alias}`, clicks);
    });
  }
  const links = Object.keys(groups).map((alias) => ({ id: `id-${alias}`, alias }));
  return aLocalEngine(stored, options).runner.run({ links }, query, rows);
}

export function rows(result: StatisticsResult, dimension: Dimension) {
  const list = result.breakdowns[dimension]!;
  return list.labels.map((label, i) => ({
    label,
    clicks: list.clicks[i]!,
    visitors: list.visitors[i]!,
  }));
}
