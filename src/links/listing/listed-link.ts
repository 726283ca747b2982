import type { LinkStatus } from '../link';
import type { LinkRecord } from '../link.schema';

/** What lists sort and filter by; times in milliseconds. */
export interface ListedLink {
  readonly id: string;
  /** Lower-cased alias and long_url with a line feed between, which neither can contain. */
  readonly text: string;
  readonly createdAt: number;
  /** NEVER without clicks. */
  readonly lastClick: number;
  readonly totalClicks: number;
  /** As stored. */
  readonly status: LinkStatus;
  /** True when its limit, not its owner, has set it INACTIVE. */
  readonly closedByLimit: boolean;
  /** Infinity without an expiry. */
  readonly expireAfter: number;
  readonly passwordSet: boolean;
  readonly maxClicksSet: boolean;
  /** Database time of the write that this was read after. */
  readonly touchedAt: number;
}

/** What is read of a stored link for that. */
export const LISTED_FIELDS = {
  alias: 1,
  long_url: 1,
  created_at: 1,
  last_click: 1,
  total_clicks: 1,
  status: 1,
  closed_by_limit: 1,
  expire_after: 1,
  max_clicks: 1,
  password_hash: 1,
  touched_at: 1,
} as const;

export type ListedRecord = Pick<LinkRecord, '_id' | keyof typeof LISTED_FIELDS>;

/** Before every time. */
export const NEVER = -Infinity;

export function searchText(alias: string, longUrl: string): string {
  return `${alias}\n${longUrl}`.toLowerCase();
}

export function toListedLink(record: ListedRecord): ListedLink {
  return {
    id: record._id.toHexString(),
    text: searchText(record.alias, record.long_url),
    createdAt: record.created_at.getTime(),
    lastClick: record.last_click?.getTime() ?? NEVER,
    totalClicks: record.total_clicks,
    status: record.status,
    closedByLimit: record.closed_by_limit,
    expireAfter: record.expire_after?.getTime() ?? Infinity,
    passwordSet: record.password_hash !== null,
    maxClicksSet: record.max_clicks !== null,
    touchedAt: record.touched_at.getTime(),
  };
}
