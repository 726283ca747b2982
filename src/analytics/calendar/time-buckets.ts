import { type LocalDay, localDay, startOfDay } from './zone-clock';

export type BucketStrategy = 'daily' | 'weekly' | 'monthly';

/** How time is cut: days, weeks or months of a zone. */
export interface BucketRule {
  strategy: BucketStrategy;
  timezone: string;
}

/** Consecutive buckets: where each begins (milliseconds), and its label. */
export interface TimeBuckets {
  starts: Float64Array;
  labels: string[];
}

const DAY_MS = 86_400_000;

/** The strategy for a range, by its whole days (docs/contract.md#9.3). */
export function strategyFor(start: number, end: number): BucketStrategy {
  const days = Math.floor((end - start) / DAY_MS);
  if (days <= 31) return 'daily';
  return days <= 180 ? 'weekly' : 'monthly';
}

/** The buckets from the one that holds `start` to the one that holds `end`. */
export function timeBuckets(rule: BucketRule, start: number, end: number): TimeBuckets {
  const starts: number[] = [];
  const labels: string[] = [];
  let day = firstDay(localDay(start, rule.timezone), rule.strategy);
  for (;;) {
    const at = startOfDay(day, rule.timezone);
    if (at > end && starts.length > 0) break;
    starts.push(at);
    labels.push(label(day, rule.strategy));
    day = nextDay(day, rule.strategy);
  }
  return { starts: Float64Array.from(starts), labels };
}

/** For each time the number of its bucket; times lie within the buckets. */
export function bucketNumbers(times: Float64Array, starts: Float64Array): Uint32Array {
  const numbers = new Uint32Array(times.length);
  const last = starts.length - 1;
  const origin = starts[0] ?? 0;
  const width = last > 0 ? ((starts[last] ?? 0) - origin) / last : Infinity;
  for (let i = 0; i < times.length; i += 1) {
    const at = times[i] ?? 0;
    // Buckets have nearly equal widths: a guess is at most a step or two away.
    let bucket = Math.min(last, Math.max(0, Math.floor((at - origin) / width)));
    while (bucket < last && at >= (starts[bucket + 1] ?? Infinity)) bucket += 1;
    while (bucket > 0 && at < (starts[bucket] ?? 0)) bucket -= 1;
    numbers[i] = bucket;
  }
  return numbers;
}

function firstDay(day: LocalDay, strategy: BucketStrategy): LocalDay {
  if (strategy === 'monthly') return { ...day, day: 1 };
  if (strategy === 'daily') return day;
  const weekday = new Date(Date.UTC(day.year, day.month - 1, day.day)).getUTCDay();
  return rolled({ ...day, day: day.day - ((weekday + 6) % 7) });
}

function nextDay(day: LocalDay, strategy: BucketStrategy): LocalDay {
  if (strategy === 'monthly') return rolled({ ...day, month: day.month + 1 });
  return rolled({ ...day, day: day.day + (strategy === 'weekly' ? 7 : 1) });
}

function rolled({ year, month, day }: LocalDay): LocalDay {
  const date = new Date(Date.UTC(year, month - 1, day));
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
  };
}

function label({ year, month, day }: LocalDay, strategy: BucketStrategy): string {
  const digits = (value: number, count: number): string => String(value).padStart(count, '0');
  const yearAndMonth = `${digits(year, 4)}-${digits(month, 2)}`;
  return strategy === 'monthly' ? yearAndMonth : `${yearAndMonth}-${digits(day, 2)}`;
}
