import {
  coarsest,
  COUNTED_DIMENSIONS,
  type CountedDimension,
  type CountSeries,
  inUnits,
  TOTAL_ALONE,
} from './imported-counts';

/** Maximum number of clicks in a count from a source. */
const MAX_SERIES_CLICKS = 2_147_483_647;

export class SeriesBuilder {
  private readonly units = new Map<number, number>();
  private readonly by = new Map<CountedDimension, Map<string, number>>();
  private from = Infinity;
  private to = -Infinity;

  constructor(private readonly cut: Pick<CountSeries, 'granularity' | 'timezone'>) {}

  /** @param start unit start in milliseconds */
  addUnit(start: number, clicks: unknown): void {
    addTo(this.units, start, parseSourceCount(clicks));
  }

  addSpan(from: number, to: number): void {
    [this.from, this.to] = [Math.min(this.from, from), Math.max(this.to, to)];
  }

  addValue(dimension: CountedDimension, value: string, clicks: unknown): void {
    let values = this.by.get(dimension);
    if (values === undefined) this.by.set(dimension, (values = new Map<string, number>()));
    addTo(values, value, parseSourceCount(clicks));
  }

  build(): CountSeries {
    const sorted = [...this.units].sort(([a], [b]) => a - b);
    const isTimeless = this.from > this.to;
    return {
      ...this.cut,
      ...(sorted.length === 0 && { granularity: 'total' as const }),
      from: isTimeless ? null : this.from,
      to: isTimeless ? null : this.to,
      units: {
        starts: sorted.map(([start]) => start),
        clicks: sorted.map(([, clicks]) => clicks),
      },
      by: Object.fromEntries(this.by),
    };
  }
}

/** Returns 0 if the value is not a valid count. */
export function parseSourceCount(value: unknown): number {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value));
  const count = isNumber ? Number(value) : 0;
  return Number.isInteger(count) && count > 0 ? Math.min(count, MAX_SERIES_CLICKS) : 0;
}

/** Adds two series, using the longer of the two units. */
export function seriesTogether(first: CountSeries, second: CountSeries): CountSeries {
  if (isTotalAlone(first)) return second;
  if (isTotalAlone(second)) return first;
  const granularity = coarsest([first.granularity, second.granularity]);
  const sum = new SeriesBuilder({ granularity, timezone: second.timezone });
  for (const { units, by, from, to } of [
    inUnits(first, granularity),
    inUnits(second, granularity),
  ]) {
    for (const [at, start] of units.starts.entries()) sum.addUnit(start, units.clicks[at]);
    for (const dimension of COUNTED_DIMENSIONS) {
      for (const [value, clicks] of by[dimension] ?? []) sum.addValue(dimension, value, clicks);
    }
    if (from !== null && to !== null) sum.addSpan(from, to);
  }
  return sum.build();
}

function isTotalAlone({ granularity, by }: CountSeries): boolean {
  return granularity === TOTAL_ALONE.granularity && Object.keys(by).length === 0;
}

function addTo<Key>(counts: Map<Key, number>, key: Key, clicks: number): void {
  if (clicks > 0) counts.set(key, (counts.get(key) ?? 0) + clicks);
}
