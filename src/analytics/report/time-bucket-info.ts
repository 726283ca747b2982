import type { BucketStrategy } from '../calendar/time-buckets';

export interface TimeBucketInfoResponse {
  strategy: BucketStrategy;
  mongo_format: string;
  display_format: string;
  timezone: string;
  interval_minutes: number;
}

const FORMATS: Record<BucketStrategy, { format: string; minutes: number }> = {
  daily: { format: '%Y-%m-%d', minutes: 1440 },
  weekly: { format: '%Y-%m-%d', minutes: 10_080 },
  monthly: { format: '%Y-%m', minutes: 43_200 },
};

/** How the time list is cut, in the words of contract 9.3. */
export function timeBucketInfo(strategy: BucketStrategy, timezone: string): TimeBucketInfoResponse {
  const { format, minutes } = FORMATS[strategy];
  return {
    strategy,
    mongo_format: format,
    display_format: format,
    timezone,
    interval_minutes: minutes,
  };
}
