import { CurtailError } from '../../../common/errors';

/** 500: stored clicks that cannot be read back exactly; figures are refused, never guessed. */
export class CorruptChunkError extends CurtailError {
  constructor(reason: string, cause?: unknown) {
    super(500, 'internal_error', `Stored clicks are damaged: ${reason}`, { cause });
  }
}

/** The dictionary-coded values of a click, in the order in which a chunk stores them. */
export const CHUNK_DIMENSIONS = [
  'browser',
  'os',
  'device',
  'country',
  'city',
  'referrer',
  'utmSource',
  'utmMedium',
  'utmCampaign',
  'botName',
] as const;

export type ChunkDimension = (typeof CHUNK_DIMENSIONS)[number];

/** Bytes of a visitor hash. */
export const VISITOR_BYTES = 12;

/** One value per row: `values[ids[row]]`. */
export interface ValueColumn {
  values: (string | null)[];
  ids: Uint32Array;
}

/**
 * The clicks of a chunk as columns. Rows are grouped by visitor and the visitors ascend by their
 * bytes, so that chunks can be merged, and visitors counted, without a table of all visitors.
 */
export interface ChunkColumns {
  n: number;
  /** Time of the first and of the last click, in milliseconds. */
  from: number;
  to: number;
  at: Float64Array;
  redirectMs: Uint32Array;
  /** 1 where a click slot was taken. */
  slot: Uint8Array;
  /** Distinct visitors, ascending, 12 bytes each. */
  visitors: Uint8Array;
  /** Rows of visitor `v` are `visitorRows[v]` up to, not including, `visitorRows[v + 1]`. */
  visitorRows: Uint32Array;
  columns: Record<ChunkDimension, ValueColumn>;
  /** The alpha-2 code that belongs to each entry of `columns.country.values`. */
  countryCodes: (string | null)[];
}
