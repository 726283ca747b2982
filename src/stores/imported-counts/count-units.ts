import {
  bucketNumbers,
  type BucketStrategy,
  timeBuckets,
} from '../../engines/click-engine/calendar/time-buckets';
import { COUNT_UNITS, type CountUnit, type UnitClicks } from './imported-counts';

const STRATEGY_BY_UNIT = {
  hour: 'hourly',
  day: 'daily',
  month: 'monthly',
} as const satisfies Record<Exclude<CountUnit, 'total'>, BucketStrategy>;

const MAX_UNIT_MS = 32 * 86_400_000;

interface Series {
  readonly granularity: CountUnit;
  readonly timezone: string;
  readonly units: UnitClicks;
}

/** `end` is the start of the next unit. */
export interface BoundedUnit {
  readonly start: number;
  readonly end: number;
  readonly clicks: number;
}

export function coarsest(units: readonly CountUnit[]): CountUnit {
  return COUNT_UNITS[Math.max(0, ...units.map((unit) => COUNT_UNITS.indexOf(unit)))] ?? 'total';
}

/** Converts a series to the next longer unit in the same time zone. */
export function coarser<T extends Series>(series: T): T {
  const next = COUNT_UNITS[COUNT_UNITS.indexOf(series.granularity) + 1] ?? 'total';
  return inUnits(series, next);
}

/** The new unit must be at least as long as the current unit. */
export function inUnits<T extends Series>(series: T, granularity: CountUnit): T {
  if (granularity === series.granularity) return series;
  const bounded = boundedUnits({ ...series, granularity });
  const units = {
    starts: bounded.map(({ start }) => start),
    clicks: bounded.map(({ clicks }) => clicks),
  };
  return { ...series, granularity, units };
}

export function boundedUnits({ granularity, timezone, units }: Series): BoundedUnit[] {
  const [first] = units.starts;
  const last = units.starts.at(-1);
  if (granularity === 'total' || first === undefined || last === undefined) return [];
  const rule = { strategy: STRATEGY_BY_UNIT[granularity], timezone };
  const { starts } = timeBuckets(rule, first, last);
  const numbers = bucketNumbers(Float64Array.from(units.starts), starts);
  const sums = new Map<number, number>();
  for (const [at, number] of numbers.entries()) {
    sums.set(number, (sums.get(number) ?? 0) + (units.clicks[at] ?? 0));
  }
  // The last unit ends where the next unit would start.
  const lastStart = starts.at(-1) ?? last;
  const beyond = timeBuckets(rule, lastStart, lastStart + MAX_UNIT_MS).starts[1] ?? Infinity;
  return [...sums].map(([number, clicks]) => ({
    start: starts[number] ?? 0,
    end: starts[number + 1] ?? beyond,
    clicks,
  }));
}
