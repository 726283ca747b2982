import type { Decision } from '../../destinations/decision';
import { type Destinations, type NewDestinations } from '../../destinations/destinations';
import type { RequestedDestinations } from '../../destinations/destination-rules';
import type { RequestedUtm } from '../../destinations/utm';

export const LINK_STATUSES = ['ACTIVE', 'INACTIVE'] as const;

export type LinkStatus = (typeof LINK_STATUSES)[number];

/** Statuses in responses; BLOCKED overrides the owner's status. */
export const REPORTED_STATUSES = [...LINK_STATUSES, 'BLOCKED'] as const;
export type ReportedStatus = (typeof REPORTED_STATUSES)[number];

export interface LinkBlock {
  readonly reason: string;
  readonly at: Date;
  readonly by: 'admin' | 'list';
}

/** `v1` = created through a v0 endpoint, `v2` = through /api/v1 (docs/contract.md#9.4). */
export type Generation = 'v1' | 'v2';

export interface LinkSettings {
  readonly longUrl: string;
  readonly alias: string;
  readonly passwordHash: string | null;
  readonly maxClicks: number | null;
  readonly expireAfter: Date | null;
  /** The destination is unavailable before (docs/contract.md#26). */
  readonly startsAt: Date | null;
  readonly preStartUrl: string | null;
  /** Target after the expiry or the click limit. */
  readonly expiredRedirectUrl: string | null;
  /** Whether the query of the short URL is appended to the destination. */
  readonly forwardQuery: boolean;
  /** Destinations in addition to `longUrl`, with the visitors that get them. */
  readonly destinations: NewDestinations;
  readonly blockBots: boolean;
  /** Whether previews and bots take slots (docs/contract.md#28.3). */
  readonly countBots: boolean;
  readonly privateStats: boolean;
  /** Visible to the owner only (docs/contract.md#19.1). */
  readonly title: string | null;
  readonly note: string | null;
  /** Tag ids, ascending. */
  readonly tags: readonly string[];
}

/** In code points. */
export const MAX_TITLE = 200;
export const MAX_NOTE = 2000;

export const QR_LEVELS = ['L', 'M', 'Q', 'H'] as const;

/** Default look of the link's QR code (docs/contract.md#21.1). */
export interface QrStyle {
  readonly size: number;
  readonly margin: number;
  readonly level: (typeof QR_LEVELS)[number];
  readonly dark: string;
  readonly light: string;
  readonly logo: boolean;
  readonly track: boolean;
}

export interface Link extends LinkSettings {
  readonly id: string;
  readonly destinations: Destinations;
  /** The destination as sent in the Location header. */
  readonly location: string;
  /** utm_ pairs for clicks whose URL has none. */
  readonly campaign: string;
  /** Null for anonymous links. */
  readonly ownerId: string | null;
  readonly generation: Generation;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
  /** Stored status; `reportedStatus` applies an elapsed expiry. */
  readonly status: LinkStatus;
  /** Set INACTIVE by its limit, not by its owner. */
  readonly closedByLimit: boolean;
  readonly blocked: LinkBlock | null;
  /** Slots taken, plus recorded clicks that needed none. */
  readonly usedClicks: number;
  /** When the first slot is issued; null = now. */
  readonly quotaActiveFrom: Date | null;
  readonly totalClicks: number;
  readonly lastClick: Date | null;
  /** An admin unblocked the link after a blocklist had blocked it. */
  readonly isListExempt: boolean;
  readonly qrStyle: QrStyle | null;
}

/** Cacheable until an edit: excludes what visits change and what only the owner sees. */
export type RememberedLink = Omit<
  Link,
  'isListExempt' | 'usedClicks' | 'totalClicks' | 'lastClick' | 'title' | 'note' | 'tags'
> & {
  /** Whether no visit step applies; set by the redirect at the first visit. */
  isPlain?: boolean;
  /** Prepared destinations, set by the first visit that needs them. */
  decision?: Decision;
};

type Origin = Pick<Link, 'ownerId' | 'generation'> & {
  /** SHA-256 of the claim token; anonymous links only. */
  readonly claimHash?: string;
};

export interface LinkSource {
  readonly kind: string;
  /** Identifies the link within its source. */
  readonly key: string;
  readonly import: string;
}

/** A validated link to store; gets a new id if it has none. */
export type NewLink = LinkSettings &
  Origin & {
    readonly id?: string;
    readonly imported?: {
      readonly source: LinkSource;
      readonly createdAt: Date;
      readonly status: LinkStatus;
      readonly closedByLimit?: boolean;
      readonly updatedAt?: Date | null;
      readonly qrStyle?: QrStyle | null;
    };
  };

/** A validated change; absent keys keep their value, null removes it. */
export type LinkChange = Partial<Omit<LinkSettings, 'destinations'>> & {
  readonly destinations?: Partial<NewDestinations>;
  readonly status?: LinkStatus;
};

/** Settings from a request: shapes are validated, rules are not. */
export interface RequestedSettings extends Omit<
  LinkSettings,
  'alias' | 'destinations' | 'expireAfter' | 'passwordHash' | 'startsAt' | 'tags'
> {
  /** Already cut; null = generate one. */
  readonly alias: string | null;
  readonly password: string | null;
  /** Unix seconds or a date text. */
  readonly expireAfter: number | string | null;
  readonly startsAt: number | string | null;
  readonly destinations: RequestedDestinations;
  /** Distinct; unknown tags are created. */
  readonly tagNames: readonly string[];
  /** Name of the custom domain; null = BASE_URL's host. */
  readonly domain?: string | null;
  /** Merged into the requested destination, or else into the current one. */
  readonly utm?: RequestedUtm | null;
}

export type CreateLink = RequestedSettings &
  Origin & {
    /** Whether to return an equal link of the account instead (docs/contract.md#20.4). */
    readonly reuse?: boolean;
  };

/** Absent keys keep their value, null removes it. */
export type LinkUpdate = Partial<Omit<RequestedSettings, 'destinations'>> & {
  readonly destinations?: Partial<RequestedDestinations>;
  readonly status?: LinkStatus;
};

export const DEFAULT_SETTINGS: Omit<RequestedSettings, 'longUrl'> = {
  alias: null,
  password: null,
  maxClicks: null,
  expireAfter: null,
  startsAt: null,
  preStartUrl: null,
  expiredRedirectUrl: null,
  forwardQuery: false,
  destinations: { rules: [], geoRules: null, abVariants: [] },
  blockBots: false,
  countBots: true,
  privateStats: false,
  title: null,
  note: null,
  tagNames: [],
};

export function isExpired(link: Pick<Link, 'expireAfter'>, now: number): boolean {
  return link.expireAfter !== null && link.expireAfter.getTime() <= now;
}

export function isScheduled(link: Pick<Link, 'startsAt'>, now: number): boolean {
  return link.startsAt !== null && link.startsAt.getTime() > now;
}

export function isUsedUp(link: Pick<Link, 'maxClicks' | 'usedClicks'>): boolean {
  return link.maxClicks !== null && link.usedClicks >= link.maxClicks;
}

/** BLOCKED first; INACTIVE before the start and after the expiry (docs/contract.md#7). */
export function reportedStatus(
  link: Pick<Link, 'blocked' | 'expireAfter' | 'startsAt' | 'status'>,
  now: number,
): ReportedStatus {
  if (link.blocked !== null) return 'BLOCKED';
  return isExpired(link, now) || isScheduled(link, now) ? 'INACTIVE' : link.status;
}
