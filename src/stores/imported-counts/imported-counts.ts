/** Units that a source has cut its counts into, the finest first; `total` is none (docs/contract.md#22.4). */
export const COUNT_UNITS = ['hour', 'day', 'month', 'total'] as const;
export type CountUnit = (typeof COUNT_UNITS)[number];

/** Dimensions of which sources tell counts, each for itself. */
export const COUNTED_DIMENSIONS = [
  'browser',
  'os',
  'country',
  'city',
  'referrer',
  'device',
] as const;
export type CountedDimension = (typeof COUNTED_DIMENSIONS)[number];

/** Clicks of the units that have some, in their order. */
export interface UnitClicks {
  /** When each begins, in milliseconds. */
  readonly starts: readonly number[];
  readonly clicks: readonly number[];
}

export type ValueClicks = ReadonlyMap<string, number>;

/** Clicks that a link had elsewhere, as far as they are no clicks of ours (docs/contract.md#22.4). */
export interface ImportedCounts {
  readonly linkId: string;
  readonly ownerId: string;
  readonly importId: string;
  /** A word of the sources of imports. */
  readonly source: string;
  readonly clicks: number;
  readonly granularity: CountUnit;
  /** Zone that the units are of. */
  readonly timezone: string;
  /** Time that the source knows of, in milliseconds; null where it says a total alone. */
  readonly from: number | null;
  readonly to: number | null;
  readonly units: UnitClicks;
  readonly by: Readonly<Partial<Record<CountedDimension, ValueClicks>>>;
}

/** Past clicks of a link as a source tells them: in units of time, and by each dimension for itself. */
export type CountSeries = Pick<
  ImportedCounts,
  'by' | 'from' | 'granularity' | 'timezone' | 'to' | 'units'
>;

/** Past clicks of which no more than their number is known. */
export const TOTAL_ALONE: CountSeries = {
  granularity: 'total',
  timezone: 'UTC',
  from: null,
  to: null,
  units: { starts: [], clicks: [] },
  by: {},
};

/** Clicks of all units. */
export function clicksOfUnits({ units }: Pick<CountSeries, 'units'>): number {
  return units.clicks.reduce((sum, clicks) => sum + clicks, 0);
}
