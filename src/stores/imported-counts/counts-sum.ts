import {
  type BoundedUnit,
  boundedUnits,
  coarsest,
  type CountedDimension,
  type CountUnit,
  type ImportedCounts,
  inUnits,
  type UnitClicks,
  type ValueClicks,
} from './imported-counts';

/** Maximum values kept per dimension; clicks with other values count only in the total. */
const MAX_SUMMED_VALUES = 100_000;
/** If a series has more units, it is converted to longer units. */
const MAX_LISTED_UNITS = 10_000;
/** Estimated memory per entry. */
const ENTRY_BYTES = 100;

export interface CountsInRange {
  /** Null if the counts have several sources. */
  readonly source: string | null;
  readonly clicks: number;
  readonly from: number | null;
  readonly to: number | null;
  readonly granularity: CountUnit;
  readonly timezone: string;
  readonly units: readonly BoundedUnit[];
  /** Each dimension's values with their clicks, most frequent first. */
  readonly by: Readonly<Partial<Record<CountedDimension, readonly (readonly [string, number])[]>>>;
  /** Whether the lists add up to less than the total. */
  readonly isCut: boolean;
}

/** Adds up counts; memory use does not depend on the number of links. */
export class CountsSum {
  private readonly sources = new Set<string>();
  private readonly granularities = new Set<CountUnit>();
  /** Clicks by unit start, for each unit length and time zone. */
  private readonly series = new Map<string, SeriesSum>();
  private readonly by = new Map<CountedDimension, Map<string, number>>();
  private readonly sorted = new Map<CountedDimension, (readonly [string, number])[]>();
  private clicks = 0;
  private from: number | null = null;
  private to: number | null = null;

  get isEmpty(): boolean {
    return this.sources.size === 0;
  }

  get bytes(): number {
    let entries = 10;
    for (const { clicks } of this.series.values()) entries += clicks.size;
    for (const values of this.by.values()) entries += 2 * values.size;
    return entries * ENTRY_BYTES;
  }

  /** Adds the total for links without counts by time or dimension. */
  addTotal(source: string, clicks: number): void {
    this.sources.add(source);
    this.granularities.add('total');
    this.clicks += clicks;
  }

  add(counts: ImportedCounts): void {
    const { source, granularity, timezone, units, by } = counts;
    this.sorted.clear();
    this.sources.add(source);
    this.granularities.add(granularity);
    this.clicks += counts.clicks;
    this.from = extreme(this.from, counts.from, Math.min);
    this.to = extreme(this.to, counts.to, Math.max);
    if (granularity !== 'total') this.addUnits(granularity, timezone, units);
    for (const [name, values] of Object.entries(by) as [CountedDimension, ValueClicks][]) {
      let sums = this.by.get(name);
      if (sums === undefined) this.by.set(name, (sums = new Map<string, number>()));
      for (const [value, clicks] of values) {
        const before = sums.get(value);
        if (before !== undefined || sums.size < MAX_SUMMED_VALUES)
          sums.set(value, (before ?? 0) + clicks);
      }
    }
  }

  private addUnits(granularity: CountUnit, timezone: string, units: UnitClicks): void {
    const key = `${granularity} ${timezone}`;
    let sum = this.series.get(key);
    if (sum === undefined) {
      this.series.set(key, (sum = { granularity, timezone, clicks: new Map() }));
    }
    for (const [at, start] of units.starts.entries()) {
      sum.clicks.set(start, (sum.clicks.get(start) ?? 0) + (units.clicks[at] ?? 0));
    }
  }

  /** @param rows maximum values per dimension; `start` and `end` are inclusive */
  within({ start, end }: { start: number; end: number }, rows: number): CountsInRange {
    const isInside = (unit: BoundedUnit): boolean =>
      Math.max(unit.start, this.from ?? -Infinity) >= start &&
      Math.min(unit.end, this.to ?? Infinity) <= end + 1;
    let granularity = coarsest([...this.granularities]);
    let all = this.mergeUnits(granularity);
    let units = all.filter(isInside);
    while (units.length > MAX_LISTED_UNITS && granularity !== 'month') {
      granularity = granularity === 'hour' ? 'day' : 'month';
      all = this.mergeUnits(granularity);
      units = all.filter(isInside);
    }
    const isTotal = granularity === 'total';
    const isWhole = (this.from ?? start) >= start && (this.to ?? end) <= end + 1;
    const zones = new Set([...this.series.values()].map(({ timezone }) => timezone));
    const [zone = 'UTC'] = zones;
    const isPart = !isTotal && sumUnitClicks(all) !== this.clicks;
    return {
      source: this.sources.size === 1 ? ([...this.sources][0] ?? null) : null,
      clicks: isTotal ? this.clicks : sumUnitClicks(units),
      from: this.from,
      to: this.to,
      granularity,
      timezone: isTotal || zones.size !== 1 ? 'UTC' : zone,
      units,
      by: isWhole ? this.topValues(rows) : {},
      isCut: isPart || this.hasCutList(rows),
    };
  }

  /** Returns sorted units; units that start simultaneously in different zones are merged. */
  private mergeUnits(granularity: CountUnit): BoundedUnit[] {
    if (granularity === 'total') return [];
    const merged = new Map<number, BoundedUnit>();
    for (const series of this.series.values()) {
      for (const unit of boundedUnits(
        inUnits({ ...series, units: ordered(series) }, granularity),
      )) {
        const present = merged.get(unit.start);
        const end = Math.max(unit.end, present?.end ?? 0);
        merged.set(unit.start, { ...unit, end, clicks: unit.clicks + (present?.clicks ?? 0) });
      }
    }
    return [...merged.values()].sort((a, b) => a.start - b.start);
  }

  private topValues(rows: number): CountsInRange['by'] {
    return Object.fromEntries(
      [...this.by.keys()].map((name) => [name, this.sortedValues(name).slice(0, rows)]),
    );
  }

  private sortedValues(name: CountedDimension): (readonly [string, number])[] {
    const known = this.sorted.get(name);
    if (known !== undefined) return known;
    const values = [...(this.by.get(name) ?? [])];
    const sorted = values.sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
    this.sorted.set(name, sorted);
    return sorted;
  }

  private hasCutList(rows: number): boolean {
    return [...this.by.values()].some((values) => {
      let sum = 0;
      for (const clicks of values.values()) sum += clicks;
      return values.size > rows || sum !== this.clicks;
    });
  }
}

interface SeriesSum {
  readonly granularity: CountUnit;
  readonly timezone: string;
  readonly clicks: Map<number, number>;
}

function ordered({ clicks }: SeriesSum): UnitClicks {
  const entries = [...clicks].sort(([a], [b]) => a - b);
  return { starts: entries.map(([start]) => start), clicks: entries.map(([, count]) => count) };
}

function sumUnitClicks(units: readonly BoundedUnit[]): number {
  return units.reduce((sum, { clicks }) => sum + clicks, 0);
}

function extreme(
  first: number | null,
  second: number | null,
  choose: (a: number, b: number) => number,
): number | null {
  return first === null || second === null ? (first ?? second) : choose(first, second);
}
