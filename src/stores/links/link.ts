import type { Decision } from '../../destinations/decision';
import { type Destinations, type NewDestinations } from '../../destinations/destinations';
import type { RequestedDestinations } from '../../destinations/destination-rules';
import type { RequestedUtm } from '../../destinations/utm';
import {
  FIELD_DEFAULTS,
  type FieldSettings,
  type PrivateField,
  type RequestedTimes,
  type TimeField,
} from './link-fields';

export const LINK_STATUSES = ['ACTIVE', 'INACTIVE'] as const;

export type LinkStatus = (typeof LINK_STATUSES)[number];

/** Statuses in responses; BLOCKED takes precedence over the stored status. */
export const REPORTED_STATUSES = [...LINK_STATUSES, 'BLOCKED'] as const;
export type ReportedStatus = (typeof REPORTED_STATUSES)[number];

export interface LinkBlock {
  readonly reason: string;
  readonly at: Date;
  readonly by: 'admin' | 'list';
}

/** `v1`: created through a v0 endpoint; `v2`: created through /api/v1 (docs/contract.md#9.4). */
export type Generation = 'v1' | 'v2';

export interface LinkSettings extends FieldSettings {
  readonly longUrl: string;
  readonly alias: string;
  readonly passwordHash: string | null;
  /** Further destinations besides `longUrl`, and which visitors are redirected there. */
  readonly destinations: NewDestinations;
  /** Tag ids in ascending order. */
  readonly tags: readonly string[];
}

/** Maximum length in code points. */
export const MAX_TITLE = 200;
export const MAX_NOTE = 2000;

export const QR_LEVELS = ['L', 'M', 'Q', 'H'] as const;

/** Default style for the link's QR code (docs/contract.md#21.1). */
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
  /** The destination as used in the Location header. */
  readonly location: string;
  /** The destination's utm_ parameters, used for clicks whose short URL has none. */
  readonly campaign: string;
  /** Null if the link is anonymous. */
  readonly ownerId: string | null;
  readonly generation: Generation;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
  /** Status as stored; `reportedStatus` takes start and expiry into account. */
  readonly status: LinkStatus;
  /** Whether the click limit, not the owner, has made the link INACTIVE. */
  readonly closedByLimit: boolean;
  readonly blocked: LinkBlock | null;
  /** Number of slots taken, plus recorded clicks that took no slot. */
  readonly usedClicks: number;
  /** Time from which slots are issued; null if they are issued now. */
  readonly quotaActiveFrom: Date | null;
  readonly totalClicks: number;
  readonly lastClick: Date | null;
  /** Time of the latest deletion of the link's clicks; later clicks count. */
  readonly clicksDeletedAt: Date | null;
  /** Whether an admin unblocked the link after a blocklist had blocked it. */
  readonly isListExempt: boolean;
  readonly qrStyle: QrStyle | null;
}

/** Fields that may be cached until an edit: not changed by visits and not private to the owner. */
export type RememberedLink = Omit<
  Link,
  | 'clicksDeletedAt'
  | 'isListExempt'
  | 'lastClick'
  | 'tags'
  | 'totalClicks'
  | 'usedClicks'
  | PrivateField
> & {
  /** Whether no visit step applies to the link; computed at the first visit. */
  isPlain?: boolean;
  /** Prepared destinations; computed at the first visit that needs them. */
  decision?: Decision;
};

type Origin = Pick<Link, 'ownerId' | 'generation'> & {
  /** The claim token's SHA-256; only for anonymous links. */
  readonly claimHash?: string;
};

export interface LinkSource {
  readonly kind: string;
  /** Identifies the link within its source. */
  readonly key: string;
  readonly import: string;
}

/** A validated link to be stored; gets a new id if it has none. */
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

/** A validated change. A missing key leaves its value unchanged; null removes it. */
export type LinkChange = Partial<Omit<LinkSettings, 'destinations'>> & {
  readonly destinations?: Partial<NewDestinations>;
  readonly status?: LinkStatus;
};

/** Settings as requested: their types are validated, but not the rules for links. */
export interface RequestedSettings
  extends
    Omit<LinkSettings, 'alias' | 'destinations' | 'passwordHash' | 'tags' | TimeField>,
    RequestedTimes {
  /** Alias in its stored form; null if an alias must be generated. */
  readonly alias: string | null;
  readonly password: string | null;
  readonly destinations: RequestedDestinations;
  /** Distinct names; tags that do not exist are created. */
  readonly tagNames: readonly string[];
  /** The custom domain's name; null for BASE_URL's host. */
  readonly domain?: string | null;
  /** Parameters to be added to the requested destination, or else to the current destination. */
  readonly utm?: RequestedUtm | null;
}

export type CreateLink = RequestedSettings &
  Origin & {
    /** Whether an existing link with equal settings may be returned (docs/contract.md#20.4). */
    readonly reuse?: boolean;
  };

/** A missing key leaves its value unchanged; null removes it. */
export type LinkUpdate = Partial<Omit<RequestedSettings, 'destinations'>> & {
  readonly destinations?: Partial<RequestedDestinations>;
  readonly status?: LinkStatus;
};

export const DEFAULT_SETTINGS: Omit<RequestedSettings, 'longUrl'> = {
  ...FIELD_DEFAULTS,
  alias: null,
  password: null,
  destinations: { rules: [], geoRules: null, abVariants: [] },
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

/** BLOCKED takes precedence; INACTIVE before the start and after expiry. */
export function reportedStatus(
  link: Pick<Link, 'blocked' | 'expireAfter' | 'startsAt' | 'status'>,
  now: number,
): ReportedStatus {
  if (link.blocked !== null) return 'BLOCKED';
  return isExpired(link, now) || isScheduled(link, now) ? 'INACTIVE' : link.status;
}
