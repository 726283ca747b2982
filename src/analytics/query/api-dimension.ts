import type { Dimension } from '../engine/dimension';

/** Dimensions of GET /api/v1/stats and /export (docs/contract.md#9.1). */
export const ACCOUNT_DIMENSIONS = [
  'time',
  'browser',
  'os',
  'country',
  'city',
  'referrer',
  'short_code',
] as const satisfies readonly Dimension[];

/** Dimensions of the statistics and exports of one link. */
export const LINK_DIMENSIONS = [
  'time',
  'browser',
  'os',
  'device',
  'country',
  'city',
  'referrer',
  'utm_source',
  'utm_medium',
  'utm_campaign',
] as const satisfies readonly Dimension[];

/** Dimensions of public statistics, which nobody chooses (docs/contract.md#9.4). */
export const PUBLIC_DIMENSIONS = [
  'time',
  'browser',
  'os',
  'device',
  'country',
  'city',
  'referrer',
] as const satisfies readonly Dimension[];

export type ApiDimension = (typeof ACCOUNT_DIMENSIONS | typeof LINK_DIMENSIONS)[number];

/** What clicks can be filtered by. */
export type FilterDimension = Exclude<ApiDimension, 'time'>;

export const METRICS = ['clicks', 'unique_clicks'] as const;
export type Metric = (typeof METRICS)[number];

export const DEVICES: readonly string[] = ['mobile', 'tablet', 'desktop', 'unknown'];
