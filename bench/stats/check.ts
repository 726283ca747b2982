import type {
  StatisticsQuery,
  StatisticsResult,
} from '../../src/engines/click-engine/query/statistics-query';
import type { Tape } from './tape';

export function wrongRows(tape: Tape, query: StatisticsQuery, result: StatisticsResult): number {
  let wrong = 0;
  for (const dimension of query.dimensions) {
    const breakdown = result.breakdowns[dimension];
    const counted = tape.count(query, dimension);
    if (breakdown === undefined) return Infinity;
    breakdown.labels.forEach((label, i) => {
      const [clicks, visitors] = counted.get(label) ?? [0, 0];
      if (breakdown.clicks[i] !== clicks || breakdown.visitors[i] !== visitors) wrong += 1;
      counted.delete(label);
    });
    wrong += counted.size;
  }
  return wrong;
}
