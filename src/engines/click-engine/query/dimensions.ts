import type { ReadableColumn } from '../chunk/derived-columns';

interface DimensionDefinition {
  /** Stored column; null if the values are not stored with clicks. */
  readonly column: ReadableColumn | null;
  /** Label for a missing value; null if clicks without a value are not listed. */
  readonly missing: string | null;
}

/**
 * Dimensions for breakdowns and filters. To add a dimension, add a line here and in VALUE_COLUMNS
 * (chunk/chunk-columns.ts); the compiler then reports all other tables that need a line.
 */
export const DIMENSIONS = {
  time: { column: null, missing: null },
  browser: { column: 'browser', missing: 'Unknown' },
  os: { column: 'os', missing: 'Unknown' },
  device: { column: 'device', missing: 'unknown' },
  country: { column: 'country', missing: 'Unknown' },
  city: { column: 'city', missing: 'Unknown' },
  referrer: { column: 'referrer', missing: 'Direct' },
  utm_source: { column: 'utmSource', missing: '(none)' },
  utm_medium: { column: 'utmMedium', missing: '(none)' },
  utm_campaign: { column: 'utmCampaign', missing: '(none)' },
  variant: { column: 'variant', missing: '(default)' },
  trigger: { column: 'trigger', missing: 'link' },
  audience: { column: 'audience', missing: null },
  /** A filter that selects links instead of clicks. */
  short_code: { column: null, missing: null },
  /** A click has all its link's marks; clicks on links without marks share a label. */
  tag: { column: null, missing: '(none)' },
  bot: { column: 'botName', missing: null },
} as const satisfies Record<string, DimensionDefinition>;

type DimensionTable = typeof DIMENSIONS;

export type Dimension = keyof DimensionTable;

export type StoredDimension = {
  [Name in Dimension]: DimensionTable[Name] extends { column: ReadableColumn } ? Name : never;
}[Dimension];

export const STORED_DIMENSIONS = (Object.keys(DIMENSIONS) as Dimension[]).filter(
  (name) => DIMENSIONS[name].column !== null,
) as readonly StoredDimension[];
