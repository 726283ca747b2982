import { Temporal } from 'temporal-polyfill';

export interface LocalDay {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
}

function zoned(at: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
}

/** Returns the zone's UTC offset at this instant, in milliseconds. */
function zoneOffset(at: number, zone: string): number {
  return zone === 'UTC' ? 0 : zoned(at, zone).offsetNanoseconds / 1e6;
}

export function localDay(at: number, zone: string): LocalDay {
  const { year, month, day } = zoned(at, zone);
  return { year, month, day };
}

/** Local midnight; the first if it occurs twice, or the start of the day if it is skipped. */
export function startOfDay({ year, month, day }: LocalDay, zone: string): number {
  // Fast path, because a link's whole lifetime may have thousands of days.
  if (zone === 'UTC') return Date.UTC(year, month - 1, day);
  return new Temporal.PlainDate(year, month, day).toZonedDateTime(zone).epochMilliseconds;
}

/** Formats to the minute, with the UTC offset: `2026-10-25T02:00+01:00`. */
function zonedHour(at: number, zone: string): string {
  return zoned(at, zone).toString({ timeZoneName: 'never', smallestUnit: 'minute' });
}

/** Formats as ISO 8601 with the zone's offset, or `Z` for UTC (docs/contract.md#1). */
export function zonedIso(at: number, zone: string): string {
  if (zone === 'UTC') return new Date(at).toISOString();
  return zoned(at, zone).toString({ timeZoneName: 'never', fractionalSecondDigits: 3 });
}

export type BucketStrategy = 'hourly' | 'daily' | 'weekly' | 'monthly';

export const BUCKETS = ['hour', 'day', 'week', 'month', 'auto'] as const;
export type Bucket = (typeof BUCKETS)[number];

export interface BucketRule {
  strategy: BucketStrategy;
  timezone: string;
}

/** Start times (milliseconds) and labels of consecutive buckets. */
export interface TimeBuckets {
  starts: Float64Array;
  labels: string[];
}

type DayStrategy = Exclude<BucketStrategy, 'hourly'>;

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Chooses the bucket size by the number of whole days in the range (docs/contract.md#9.3). */
export function strategyFor(start: number, end: number): DayStrategy {
  const days = Math.floor((end - start) / DAY_MS);
  if (days <= 31) return 'daily';
  return days <= 180 ? 'weekly' : 'monthly';
}

export function timeBuckets(
  { strategy, timezone }: BucketRule,
  start: number,
  end: number,
): TimeBuckets {
  if (strategy === 'hourly') return hours(timezone, start, end);
  const starts: number[] = [];
  const labels: string[] = [];
  let day = firstDay(localDay(start, timezone), strategy);
  for (;;) {
    const at = startOfDay(day, timezone);
    if (at > end && starts.length > 0) break;
    starts.push(at);
    labels.push(label(day, strategy));
    day = nextDay(day, strategy);
  }
  return { starts: Float64Array.from(starts), labels };
}

/** Labels include the UTC offset, because a local hour repeats when clocks go back. */
function hours(timezone: string, start: number, end: number): TimeBuckets {
  const starts: number[] = [];
  // Starts three hours early, because the offset may change between the full hour and `start`.
  let at = nextHour(start - 3 * HOUR_MS, timezone);
  for (let next = nextHour(at, timezone); next <= start; next = nextHour(at, timezone)) at = next;
  do {
    starts.push(at);
    at = nextHour(at, timezone);
  } while (at <= end);
  return {
    starts: Float64Array.from(starts),
    labels: starts.map((hour) => zonedHour(hour, timezone)),
  };
}

/** Returns the next full local hour, or the time before it at which the UTC offset changes. */
function nextHour(at: number, timezone: string): number {
  const offset = zoneOffset(at, timezone);
  const local = at + offset;
  const next = at + HOUR_MS - (((local % HOUR_MS) + HOUR_MS) % HOUR_MS);
  if (zoneOffset(next - 1, timezone) === offset) return next;
  return zoned(at, timezone).getTimeZoneTransition('next')?.epochMilliseconds ?? next;
}

export function bucketNumbers(times: Float64Array, starts: Float64Array): Uint32Array {
  const numbers = new Uint32Array(times.length);
  const last = starts.length - 1;
  const origin = starts[0] ?? 0;
  const width = last > 0 ? ((starts[last] ?? 0) - origin) / last : Infinity;
  for (let i = 0; i < times.length; i += 1) {
    const at = times[i] ?? 0;
    // Buckets are nearly equal in width, so the guess is at most two buckets off.
    let bucket = Math.min(last, Math.max(0, Math.floor((at - origin) / width)));
    while (bucket < last && at >= (starts[bucket + 1] ?? Infinity)) bucket += 1;
    while (bucket > 0 && at < (starts[bucket] ?? 0)) bucket -= 1;
    numbers[i] = bucket;
  }
  return numbers;
}

function firstDay(day: LocalDay, strategy: DayStrategy): LocalDay {
  if (strategy === 'monthly') return { ...day, day: 1 };
  if (strategy === 'daily') return day;
  const weekday = new Date(Date.UTC(day.year, day.month - 1, day.day)).getUTCDay();
  return rolled({ ...day, day: day.day - ((weekday + 6) % 7) });
}

function nextDay(day: LocalDay, strategy: DayStrategy): LocalDay {
  if (strategy === 'monthly') return rolled({ ...day, month: day.month + 1 });
  return rolled({ ...day, day: day.day + (strategy === 'weekly' ? 7 : 1) });
}

/** Normalises out-of-range values; for example, day 0 is the last day of the previous month. */
export function rolled({ year, month, day }: LocalDay): LocalDay {
  const date = new Date(Date.UTC(year, month - 1, day));
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
  };
}

function label({ year, month, day }: LocalDay, strategy: DayStrategy): string {
  const digits = (value: number, count: number): string => String(value).padStart(count, '0');
  const yearAndMonth = `${digits(year, 4)}-${digits(month, 2)}`;
  return strategy === 'monthly' ? yearAndMonth : `${yearAndMonth}-${digits(day, 2)}`;
}
