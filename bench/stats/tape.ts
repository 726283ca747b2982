import type { StatisticsQuery } from '../../src/analytics/engine/statistics-query';
import type { StoredDimension } from '../../src/analytics/dimensions';
import { DIMENSIONS } from '../../src/analytics/dimensions';
import type { Click } from '../../src/clicks/store/click';

const COUNTED = [
  'browser',
  'os',
  'device',
  'country',
  'city',
  'referrer',
  'utm_source',
  'utm_medium',
  'utm_campaign',
] as const satisfies readonly StoredDimension[];

/** All generated clicks in memory, to be counted one by one beside the engine's answers. */
export class Tape {
  private readonly at: Float64Array;
  private readonly visitor: Uint32Array;
  private readonly alias: string[] = [];
  private readonly values = new Map<StoredDimension, string[]>();
  private readonly visitors = new Map<string, number>();
  private length = 0;

  constructor(clicks: number) {
    this.at = new Float64Array(clicks);
    this.visitor = new Uint32Array(clicks);
    for (const dimension of COUNTED) this.values.set(dimension, []);
  }

  add(click: Click, alias: string): void {
    const row = this.length++;
    const known = this.visitors.get(click.visitor) ?? this.visitors.size;
    this.visitors.set(click.visitor, known);
    this.at[row] = click.at;
    this.visitor[row] = known;
    this.alias.push(alias);
    for (const dimension of COUNTED) {
      const { column, missing } = DIMENSIONS[dimension];
      this.values.get(dimension)?.push(click[column] ?? missing);
    }
  }

  /** `label → [clicks, visitors]`, by a plain pass with a set of pairs. */
  count(query: StatisticsQuery, dimension: string): Map<string, [number, number]> {
    const counts = new Map<string, [number, number]>();
    const met = new Map<string, Set<number>>();
    for (let row = 0; row < this.length; row += 1) {
      if (!this.passes(row, query)) continue;
      const label = this.label(row, dimension);
      const count = counts.get(label) ?? [0, 0];
      const seen = met.get(label) ?? new Set();
      met.set(label, seen.add(this.visitor[row] ?? 0));
      count[0] += 1;
      count[1] = seen.size;
      counts.set(label, count);
    }
    return counts;
  }

  private passes(row: number, { start, end, filters }: StatisticsQuery): boolean {
    const at = this.at[row] ?? 0;
    if (at < start || at > end) return false;
    return Object.entries(filters).every(([dimension, values]) =>
      values.includes(this.values.get(dimension as StoredDimension)?.[row] ?? ''),
    );
  }

  private label(row: number, dimension: string): string {
    if (dimension === 'time') return new Date(this.at[row] ?? 0).toISOString().slice(0, 10);
    if (dimension === 'short_code') return this.alias[row] ?? '';
    return this.values.get(dimension as StoredDimension)?.[row] ?? '';
  }
}
