import {
  bucketNumbers,
  type BucketStrategy,
  timeBuckets,
} from '../../engines/click-engine/calendar/time-buckets';

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

/** Units from shortest to longest; `total` has no time units (docs/contract.md#22.4). */
export const COUNT_UNITS = ['hour', 'day', 'month', 'total'] as const;
export type CountUnit = (typeof COUNT_UNITS)[number];

/** Dimensions that a source counts independently of each other. */
export const COUNTED_DIMENSIONS = [
  'browser',
  'os',
  'country',
  'city',
  'referrer',
  'device',
] as const;
export type CountedDimension = (typeof COUNTED_DIMENSIONS)[number];

/** Units in ascending order; units without clicks are absent. */
export interface UnitClicks {
  /** Each unit's start in milliseconds. */
  readonly starts: readonly number[];
  readonly clicks: readonly number[];
}

export type ValueClicks = ReadonlyMap<string, number>;

/** Clicks that another service counted for a link (docs/contract.md#22.4). */
export interface ImportedCounts {
  readonly linkId: string;
  readonly ownerId: string;
  readonly importId: string;
  readonly source: string;
  readonly clicks: number;
  readonly granularity: CountUnit;
  readonly timezone: string;
  /** Start of the counted period in milliseconds; null if only a total is known. */
  readonly from: number | null;
  readonly to: number | null;
  readonly units: UnitClicks;
  readonly by: Readonly<Partial<Record<CountedDimension, ValueClicks>>>;
}

/** Clicks by time unit and, separately, by each dimension. */
export type CountSeries = Pick<
  ImportedCounts,
  'by' | 'from' | 'granularity' | 'timezone' | 'to' | 'units'
>;

export const TOTAL_ALONE: CountSeries = {
  granularity: 'total',
  timezone: 'UTC',
  from: null,
  to: null,
  units: { starts: [], clicks: [] },
  by: {},
};

export function clicksOfUnits({ units }: Pick<CountSeries, 'units'>): number {
  return units.clicks.reduce((sum, clicks) => sum + clicks, 0);
}
