import type { BucketRule } from '../calendar/time-buckets';
import type { Dimension, StoredDimension } from '../dimensions';

/** A link whose clicks are counted. */
export interface LinkName {
  id: string;
  alias: string;
}

/** Whose clicks: the named links, or those of an account (maybe only some aliases of it). */
export type Source =
  { links: readonly LinkName[] } | { ownerId: string; aliases: readonly string[] | null };

export const AUDIENCES = ['all', 'human', 'bot'] as const;
/** Whose clicks are counted: `bot` are the known bots (docs/contract.md#8.4), `human` all others. */
export type Audience = (typeof AUDIENCES)[number];

/** Which clicks are counted: a time range, an audience, and for each filtered dimension its values. */
export interface Criteria {
  start: number;
  end: number;
  /** All without one. */
  audience?: Audience;
  filters: Partial<Record<StoredDimension, readonly string[]>>;
}

/** What is counted of a set of clicks. */
export interface StatisticsQuery extends Criteria {
  dimensions: readonly Dimension[];
  /** Needed when `time` is among the dimensions. */
  buckets: BucketRule | null;
  /**
   * Dimensions whose labels are written with `_` for `.`, as v0 does; values that become equal are
   * one row, whose visitors are the sum.
   */
  underscored?: readonly Dimension[];
}
