import type { BucketRule } from '../calendar/time-buckets';
import type { Dimension, StoredDimension } from './dimensions';
import { AUDIENCE_CLASSES } from '../chunk/signals';

export interface LinkName {
  id: string;
  alias: string;
  /** Clicks of visits that began up to this time in milliseconds are deleted. */
  since?: number;
}

/** A link with its distinct mark IDs. */
export interface MarkedLink extends LinkName {
  marks: readonly string[];
}

/** A link property, such as a tag, for listing and filtering clicks. */
export interface Mark {
  id: string;
  label: string;
  key: string;
}

export type Source = { links: readonly LinkName[] } | { ownerId: string };

export const AUDIENCES = ['all', ...AUDIENCE_CLASSES] as const;
export type Audience = (typeof AUDIENCES)[number];

export const METRICS = ['clicks', 'unique_clicks'] as const;
export type Metric = (typeof METRICS)[number];

/** `tag` contains mark keys; a link matches if it has any of them. */
export interface Criteria {
  start: number;
  end: number;
  audience?: Audience;
  filters: Partial<Record<StoredDimension | 'tag', readonly string[]>>;
}

export interface StatisticsQuery extends Criteria {
  dimensions: readonly Dimension[];
  /** Required if `dimensions` includes `time`. */
  buckets: BucketRule | null;
  /** Dimensions whose labels get `_` for `.`, as in v0; visitors with equal labels are added up. */
  underscored?: readonly Dimension[];
  /** Whether lists merge values as in merged-values.ts, which a visitor counts in once. */
  merged?: boolean;
}
