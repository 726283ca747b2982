import type { ReadableColumn } from './chunk/derived-columns';

interface DimensionDefinition {
  /** The column that is read of a stored chunk; null where the values are no column of their own. */
  readonly column: ReadableColumn | null;
  /** The label of a missing value; null when a click then has no label. */
  readonly missing: string | null;
}

/**
 * The values that clicks are broken down and filtered by. A further dimension is a line here and in
 * VALUE_COLUMNS of chunk/chunk-columns.ts; the compiler then asks for its line in the table of
 * whoever offers dimensions.
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
  /** Key of the rule or variant that chose the destination. */
  variant: { column: 'variant', missing: '(default)' },
  /** How a visitor came by the link. */
  trigger: { column: 'trigger', missing: 'link' },
  /** Every click has its class (signals.ts). */
  audience: { column: 'audience', missing: null },
  /** Chooses links, not clicks. */
  short_code: { column: null, missing: null },
  /** Marks of links: a click has all those of its link, or the label of none. */
  tag: { column: null, missing: '(none)' },
  /** People have no label. */
  bot: { column: 'botName', missing: null },
} as const satisfies Record<string, DimensionDefinition>;

type DimensionTable = typeof DIMENSIONS;

/** A dimension by which clicks are broken down. */
export type Dimension = keyof DimensionTable;

/** Dimensions that every click carries. */
export type StoredDimension = {
  [Name in Dimension]: DimensionTable[Name] extends { column: ReadableColumn } ? Name : never;
}[Dimension];

export const STORED_DIMENSIONS = (Object.keys(DIMENSIONS) as Dimension[]).filter(
  (name) => DIMENSIONS[name].column !== null,
) as readonly StoredDimension[];
