export const LINK_STATUSES = ['ACTIVE', 'INACTIVE'] as const;

export type LinkStatus = (typeof LINK_STATUSES)[number];

/** `v1` = made through a v0 endpoint, `v2` = through /api/v1 (docs/contract.md#9.4). */
export type Generation = 'v1' | 'v2';

/** A link as the database holds it. */
export interface Link {
  readonly id: string;
  readonly alias: string;
  readonly longUrl: string;
  /** Account id, null for anonymous links. */
  readonly ownerId: string | null;
  readonly generation: Generation;
  readonly createdAt: Date;
  /** Null while never updated. */
  readonly updatedAt: Date | null;
  /** As stored; an elapsed expiry is applied on reads by `reportedStatus`. */
  readonly status: LinkStatus;
  /** True when the limit, not the owner, has set it INACTIVE. */
  readonly closedByLimit: boolean;
  readonly passwordHash: string | null;
  readonly maxClicks: number | null;
  /** Click slots taken, plus recorded clicks that needed none. */
  readonly usedClicks: number;
  /** Slots are given out from this moment on; null = now. */
  readonly quotaActiveFrom: Date | null;
  readonly expireAfter: Date | null;
  readonly blockBots: boolean;
  readonly privateStats: boolean;
  readonly totalClicks: number;
  readonly lastClick: Date | null;
}

export function isExpired(link: Pick<Link, 'expireAfter'>, now: number): boolean {
  return link.expireAfter !== null && link.expireAfter.getTime() <= now;
}

/** docs/contract.md#7: INACTIVE once the expiry has passed, whatever is stored. */
export function reportedStatus(
  link: Pick<Link, 'expireAfter' | 'status'>,
  now: number,
): LinkStatus {
  return isExpired(link, now) ? 'INACTIVE' : link.status;
}
