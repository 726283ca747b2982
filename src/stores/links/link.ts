import type { Decision } from '../../destinations/decision';
import { type Destinations, type NewDestinations } from '../../destinations/destinations';
import type { RequestedDestinations } from '../../destinations/destination-rules';
import type { RequestedUtm } from '../../destinations/utm';

export const LINK_STATUSES = ['ACTIVE', 'INACTIVE'] as const;

export type LinkStatus = (typeof LINK_STATUSES)[number];

/** Statuses of links in answers; a BLOCKED one is closed whatever its owner has set. */
export const REPORTED_STATUSES = [...LINK_STATUSES, 'BLOCKED'] as const;
export type ReportedStatus = (typeof REPORTED_STATUSES)[number];

/** Why and since when a link is closed by those who run the service (docs/contract.md#24.4). */
export interface LinkBlock {
  readonly reason: string;
  readonly at: Date;
  /** An admin, or a list of hosts or patterns that its destination is on. */
  readonly by: 'admin' | 'list';
}

/** `v1` = made through a v0 endpoint, `v2` = through /api/v1 (docs/contract.md#9.4). */
export type Generation = 'v1' | 'v2';

/** Settings of a link: given when it is made, and changeable later. */
export interface LinkSettings {
  readonly longUrl: string;
  readonly alias: string;
  readonly passwordHash: string | null;
  readonly maxClicks: number | null;
  readonly expireAfter: Date | null;
  /** Nobody gets to the destination before it (docs/contract.md#26). */
  readonly startsAt: Date | null;
  /** Where visitors are sent before the start. */
  readonly preStartUrl: string | null;
  /** Where visitors are sent once time or clicks have run out. */
  readonly expiredRedirectUrl: string | null;
  /** Whether the query of the short URL goes to the destination, too. */
  readonly forwardQuery: boolean;
  /** Destinations beside `longUrl`, and whose they are. */
  readonly destinations: NewDestinations;
  readonly blockBots: boolean;
  /** Whether previews and bots take slots and count toward the limit (docs/contract.md#28.3). */
  readonly countBots: boolean;
  readonly privateStats: boolean;
  /** Texts of its owner for its owner, shown to nobody else (docs/contract.md#19.1). */
  readonly title: string | null;
  readonly note: string | null;
  /** Ids of tags of the owner, in ascending order. */
  readonly tags: readonly string[];
}

/** In code points. */
export const MAX_TITLE = 200;
export const MAX_NOTE = 2000;

export const QR_LEVELS = ['L', 'M', 'Q', 'H'] as const;

/** How the QR code of a link looks where a request says nothing else (docs/contract.md#21.1). */
export interface QrStyle {
  readonly size: number;
  readonly margin: number;
  readonly level: (typeof QR_LEVELS)[number];
  readonly dark: string;
  readonly light: string;
  readonly logo: boolean;
  readonly track: boolean;
}

/** A link as the database holds it. */
export interface Link extends LinkSettings {
  readonly id: string;
  readonly destinations: Destinations;
  /** Its destination as a redirect says it. */
  readonly location: string;
  /** The utm_ pairs that its clicks count where the visited URL has none. */
  readonly campaign: string;
  /** Account id, null for anonymous links. */
  readonly ownerId: string | null;
  readonly generation: Generation;
  readonly createdAt: Date;
  /** Null while never updated. */
  readonly updatedAt: Date | null;
  /** The stored one; an elapsed expiry is applied on reads by `reportedStatus`. */
  readonly status: LinkStatus;
  /** True when the limit, not the owner, has set it INACTIVE. */
  readonly closedByLimit: boolean;
  /** Null unless the link is blocked. */
  readonly blocked: LinkBlock | null;
  /** Click slots taken, plus recorded clicks that needed none. */
  readonly usedClicks: number;
  /** Slots are given out from this moment on; null = now. */
  readonly quotaActiveFrom: Date | null;
  readonly totalClicks: number;
  readonly lastClick: Date | null;
  /** Whether lists leave it alone, because an admin has opened it after one had closed it. */
  readonly isListExempt: boolean;
  /** Null while its owner has not chosen one. */
  readonly qrStyle: QrStyle | null;
}

/**
 * A link without what its visitors change, and without what its owner alone sees: a process may
 * remember it for as long as nobody edits it.
 */
export type RememberedLink = Omit<
  Link,
  'isListExempt' | 'usedClicks' | 'totalClicks' | 'lastClick' | 'title' | 'note' | 'tags'
> & {
  /** Whether no step of a visit concerns it; found out by the redirect at the first visit. */
  isPlain?: boolean;
  /** Its destinations, prepared for visits by the first that has to choose. */
  decision?: Decision;
};

type Origin = Pick<Link, 'ownerId' | 'generation'> & {
  /** SHA-256 of the token by which an account can take the link; one of nobody's alone has it. */
  readonly claimHash?: string;
};

/** Where an imported link comes from (docs/contract.md#22.3). */
export interface LinkSource {
  /** A word of IMPORT_SOURCES. */
  readonly kind: string;
  /** By which the same link is known again. */
  readonly key: string;
  /** Id of the import. */
  readonly import: string;
}

/** A link to be stored; everything is checked. Without an id it gets a fresh one. */
export type NewLink = LinkSettings &
  Origin & {
    readonly id?: string;
    /** Absent but for imported links. */
    readonly imported?: {
      readonly source: LinkSource;
      readonly createdAt: Date;
      readonly status: LinkStatus;
      /** Whether its limit has made it INACTIVE; absent for not. */
      readonly closedByLimit?: boolean;
      readonly updatedAt?: Date | null;
      readonly qrStyle?: QrStyle | null;
    };
  };

/** Differences that a link is to get; an absent key stays, null removes. All is checked. */
export type LinkChange = Partial<Omit<LinkSettings, 'destinations'>> & {
  readonly destinations?: Partial<NewDestinations>;
  readonly status?: LinkStatus;
};

/** Settings as somebody asks for them: shapes are checked, rules are not. */
export interface RequestedSettings extends Omit<
  LinkSettings,
  'alias' | 'destinations' | 'expireAfter' | 'passwordHash' | 'startsAt' | 'tags'
> {
  /** Cut and shaped already; null = generate one. */
  readonly alias: string | null;
  readonly password: string | null;
  /** Unix seconds or a time text. */
  readonly expireAfter: number | string | null;
  /** The same. */
  readonly startsAt: number | string | null;
  readonly destinations: RequestedDestinations;
  /** Each tag once; unknown ones are made. */
  readonly tagNames: readonly string[];
  /** Name of the custom domain that it is to lie on; null = BASE_URL's host. */
  readonly domain?: string | null;
  /** Merged into the destination: of the request, else the one that the link has. */
  readonly utm?: RequestedUtm | null;
}

/** A link that somebody asks for. */
export type CreateLink = RequestedSettings &
  Origin & {
    /** Whether a link of the account that is just like it is taken instead (docs/contract.md#20.4). */
    readonly reuse?: boolean;
  };

/** A change that an owner asks for; an absent key stays, null removes. */
export type LinkUpdate = Partial<Omit<RequestedSettings, 'destinations'>> & {
  readonly destinations?: Partial<RequestedDestinations>;
  readonly status?: LinkStatus;
};

/** The settings of a link of which nothing but its destination is said. */
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

/**
 * docs/contract.md#7: INACTIVE before the start and once the expiry has passed, whatever is stored;
 * BLOCKED before all that.
 */
export function reportedStatus(
  link: Pick<Link, 'blocked' | 'expireAfter' | 'startsAt' | 'status'>,
  now: number,
): ReportedStatus {
  if (link.blocked !== null) return 'BLOCKED';
  return isExpired(link, now) || isScheduled(link, now) ? 'INACTIVE' : link.status;
}
