import type { BucketRule } from '../calendar/time-buckets';
import { AUDIENCE_CLASSES } from '../chunk/click';
import type { ReadableColumn } from '../chunk/derived-columns';
import { CancelledError } from '../chunk/engine.errors';

/** A flag that is polled during counting, because a busy thread receives no messages. */
export class Cancellation {
  private readonly controller = new AbortController();

  constructor(readonly flag: Int32Array = new Int32Array(new SharedArrayBuffer(4))) {}

  cancel(): void {
    Atomics.store(this.flag, 0, 1);
    this.controller.abort();
  }

  /** Aborted only by `cancel` on this object; use it to wait in this thread. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get isCancelled(): boolean {
    return Atomics.load(this.flag, 0) === 1;
  }

  check(): void {
    if (this.isCancelled) throw new CancelledError();
  }
}

/** Hosts by the site that lists show for them. */
const SITES: Readonly<Record<string, readonly string[]>> = {
  'facebook.com': ['facebook.com', 'fb.com', 'fb.me'],
  'instagram.com': ['instagram.com'],
  'youtube.com': ['youtube.com', 'youtu.be'],
  'x.com': ['x.com', 'twitter.com', 't.co'],
  'linkedin.com': ['linkedin.com', 'lnkd.in'],
  'reddit.com': ['reddit.com', 'redd.it'],
  'pinterest.com': ['pinterest.com', 'pin.it'],
};
/** Subdomains of mobile pages and link warnings. */
const SUBDOMAINS = ['', 'www.', 'm.', 'mobile.', 'l.', 'lm.', 'web.', 'touch.', 'old.', 'out.'];
const BROWSERS = ['Chrome', 'Edge', 'Firefox', 'Opera', 'Safari'];

const referrers = Object.entries(SITES).map(([site, hosts]): [string, readonly string[]] => [
  `https://${site}`,
  hosts.flatMap((host) =>
    SUBDOMAINS.flatMap((sub) => [`https://${sub}${host}`, `http://${sub}${host}`]),
  ),
]);
const MEMBERS: Partial<Record<Dimension, ReadonlyMap<string, readonly string[]>>> = {
  referrer: new Map(referrers),
  browser: new Map(BROWSERS.map((name) => [name, [name, `Mobile ${name}`]])),
};
const SHOWN = new Map(
  Object.entries(MEMBERS).map(([dimension, members]) => [
    dimension,
    new Map([...members].flatMap(([shown, values]) => values.map((value) => [value, shown]))),
  ]),
);

/** Returns the values that a filter by this value selects in merged lists. */
export function membersOf(dimension: Dimension, value: string): readonly string[] {
  return MEMBERS[dimension]?.get(value) ?? [value];
}

/** Returns the shown value by recorded value; undefined if the query does not merge any. */
export function shownValues(
  { merged = false, underscored }: Pick<StatisticsQuery, 'merged' | 'underscored'>,
  dimension: Dimension,
): ReadonlyMap<string, string> | undefined {
  return merged && !underscored?.includes(dimension) ? SHOWN.get(dimension) : undefined;
}

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

export interface LinkName {
  id: string;
  alias: string;
  /** Clicks from visits that began at or before this time, in milliseconds, are deleted. */
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
  /** Whether lists merge values as in `membersOf`, which a visitor counts in once. */
  merged?: boolean;
}

/** Row limit of JSON responses (docs/contract.md#9.3, docs/contract.md#13.3). */
export const MAX_RESULT_ROWS = 1000;

export interface LatestClick {
  at: number;
  browser: string;
  os: string;
  country: string;
}

/** Totals; times are in milliseconds, or null if there are no clicks. */
export interface Summary {
  clicks: number;
  /** Number of distinct visitors, without NO_VISITOR. */
  visitors: number;
  withoutVisitor: number;
  first: number | null;
  last: LatestClick | null;
  /** Sum of redirect times in milliseconds. */
  redirectMs: number;
  /** Number of clicks without a redirect time; `redirectMs` does not include them. */
  untimed: number;
}

/** A breakdown in response order, as parallel arrays. */
export interface Breakdown {
  labels: string[];
  clicks: readonly number[];
  visitors: readonly number[];
  /** Number of all rows, including rows omitted by the limit. */
  size: number;
  /** Sums over all values; equal to the summary if a click can have several values. */
  clicksSum: number;
  visitorsSum: number;
}

export type BreakdownHead = Pick<Breakdown, 'size' | 'clicksSum' | 'visitorsSum'>;

export type BreakdownPage = Pick<Breakdown, 'labels' | 'clicks' | 'visitors'>;

export interface StatisticsResult {
  summary: Summary;
  breakdowns: Partial<Record<Dimension, Breakdown>>;
}

/** A result whose lists are serialised as JSON for `metrics` (see reportLists). */
export interface StatisticsReport {
  summary: Summary;
  /** UTF-8 bytes; a string if the result was sent over a text-only channel. */
  lists: Uint8Array | string;
  /** First labels of the list by `short_code`, if requested. */
  shortCodes?: readonly string[];
}

/** A result whose rows are read page by page with a cursor. */
export interface OpenedResult {
  cursorId: number;
  summary: Summary;
  heads: Partial<Record<Dimension, BreakdownHead>>;
}

/** Adds the counted range, because similar concurrent queries share a result. */
export type WithRange<T> = T & { range: { start: number; end: number } };
