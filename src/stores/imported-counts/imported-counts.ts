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
