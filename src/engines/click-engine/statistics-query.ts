import type { BucketRule } from './calendar/time-buckets';
import type { Dimension, StoredDimension } from './dimensions';
import { AUDIENCE_CLASSES } from './signals';

/** A link whose clicks are counted. */
export interface LinkName {
  id: string;
  alias: string;
}

/** A link and the ids of its marks, each once. */
export interface MarkedLink extends LinkName {
  marks: readonly string[];
}

/** Something that a question says of links, by which their clicks are listed and filtered. */
export interface Mark {
  id: string;
  label: string;
  /** Filters are compared with it. */
  key: string;
}

/** The links whose clicks are counted: the named ones, or all of an account. */
export type Source = { links: readonly LinkName[] } | { ownerId: string };

export const AUDIENCES = ['all', ...AUDIENCE_CLASSES] as const;
/** Clicks that are counted: those of one class, or all (docs/contract.md#28). */
export type Audience = (typeof AUDIENCES)[number];

export const METRICS = ['clicks', 'unique_clicks'] as const;
/** Figures of each value of a dimension: its clicks, its distinct visitors. */
export type Metric = (typeof METRICS)[number];

/**
 * Which clicks are counted: a time range, an audience, and for each filtered dimension its values.
 * Values of `tag` are keys of marks, which whoever keeps the links compares; a link passes with one of them.
 */
export interface Criteria {
  start: number;
  end: number;
  /** All without one. */
  audience?: Audience;
  filters: Partial<Record<StoredDimension | 'tag', readonly string[]>>;
}

/** Counts that are asked for, of a set of clicks. */
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
