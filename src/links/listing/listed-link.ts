import type { LinkStatus } from '../link';

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
  /** Infinity without an expiry. */
  readonly expireAfter: number;
  readonly passwordSet: boolean;
  readonly maxClicksSet: boolean;
}

/** Before every time. */
export const NEVER = -Infinity;

export function searchText(alias: string, longUrl: string): string {
  // Joined, not templated: one piece of memory, which a search through all links goes over faster.
  return [alias, longUrl].join('\n').toLowerCase();
}

/** True when a list shows, sorts and finds both alike. */
export function isSame(one: ListedLink, other: ListedLink): boolean {
  return (Object.keys(one) as (keyof ListedLink)[]).every((key) => one[key] === other[key]);
}
