import type { ChunkDimension } from '../../clicks/store/codec/chunk-columns';

/** Where a dimension's values stand in a chunk, and the label of a missing value (docs/contract.md#9.1). */
interface StoredIn {
  readonly column: ChunkDimension;
  readonly missing: string | null;
}

/** Dimensions that every click carries. */
export const STORED = {
  browser: { column: 'browser', missing: 'Unknown' },
  os: { column: 'os', missing: 'Unknown' },
  device: { column: 'device', missing: 'unknown' },
  country: { column: 'country', missing: 'Unknown' },
  city: { column: 'city', missing: 'Unknown' },
  referrer: { column: 'referrer', missing: 'Direct' },
  utm_source: { column: 'utmSource', missing: '(none)' },
  utm_medium: { column: 'utmMedium', missing: '(none)' },
  utm_campaign: { column: 'utmCampaign', missing: '(none)' },
  /** No dimension of the API; v0 statistics list bots. Visitors that are none have no label. */
  bot: { column: 'botName', missing: null },
} as const satisfies Record<string, StoredIn>;

export type StoredDimension = keyof typeof STORED;
export const STORED_DIMENSIONS = Object.keys(STORED) as StoredDimension[];

/** A dimension by which figures are listed. */
export type Dimension = StoredDimension | 'time' | 'short_code';
