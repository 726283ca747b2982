import { AuthenticationError } from '../../common/errors';
import { futureTime, parseTime, validTime } from '../../common/time';
import type {
  CreateLink,
  Link,
  LinkChange,
  LinkUpdate,
  RequestedSettings,
} from '../../stores/links/link';
import { FIELD_ROWS, mapFields, TIME_ROWS, type TimeField } from '../../stores/links/link-fields';
import { checkedDestinations } from '../../destinations/destination-rules';
import { toLocation } from '../../destinations/location';
import { numbered } from '../../destinations/numbering';
import { refuseReserved } from './alias';
import { refuseBadComposition } from './link-password';
import { MisplacedTimeError } from './links.errors';

const ACCOUNT_ROWS = FIELD_ROWS.filter(({ isBasic }) => !isBasic);

/** Throws 401 for settings that need an owner, such as private statistics (contract 5.1). */
export function refuseWithoutOwner(
  requested: Omit<CreateLink, 'alias' | 'generation' | 'longUrl'>,
): void {
  if (requested.ownerId !== null) return;
  const given = {
    private_stats: requested.privateStats,
    ...mapFields(({ key, name, initial }) => [name, requested[key] !== initial], ACCOUNT_ROWS),
    domain: requested.domain ?? null,
    tags: requested.tagNames.length > 0,
    ab_variants: requested.destinations.abVariants.length > 0,
    geo_rules: requested.destinations.geoRules,
    rules: requested.destinations.rules.length > 0,
    reuse: requested.reuse ?? false,
  };
  for (const [field, value] of Object.entries(given)) {
    if (value === null || value === false) continue;
    const message = `${field} needs an account: sign in or use an API key`;
    throw new AuthenticationError(message, { field });
  }
}

/** Settings that can be validated without the database. */
export type RulableSettings = Omit<RequestedSettings, 'domain' | 'tagNames'>;

export type RulableChange = Omit<LinkUpdate, 'status' | 'tagNames'>;

/**
 * Validates the password, times, rules and reserved alias, in that order (contract 5.1).
 * Does not hash the password. Absent and null values change nothing.
 * @param link the existing link, which may keep its reserved alias or past start; null if new
 */
export function checkedSettings(
  { alias, password, destinations, ...plain }: RulableChange,
  link: Pick<Link, 'alias' | 'expireAfter' | 'startsAt'> | null,
  now: Date,
): Omit<LinkChange, 'passwordHash' | 'status' | 'tags'> {
  if (typeof password === 'string') refuseBadComposition(password);
  const times = checkedTimes(plain, link, now);
  const misplaced = misplacedTime(times, link ?? { expireAfter: null, startsAt: null });
  if (misplaced !== null) throw new MisplacedTimeError(misplaced);
  const checked = {
    ...plain,
    ...times,
    ...(destinations === undefined ? {} : { destinations: checkedDestinations(destinations) }),
  };
  if (typeof alias !== 'string') return checked;
  if (alias !== link?.alias) refuseReserved(alias);
  return { ...checked, alias };
}

/** Returns the link as the database would change it (stores/links/link-updates.ts). */
export function withChange(link: Link, { destinations, ...change }: LinkChange): Link {
  const { maxClicks, status } = change;
  const moves = maxClicks !== undefined && maxClicks !== link.maxClicks;
  const opens = moves && link.closedByLimit;
  const given = Object.fromEntries(
    Object.entries<unknown>(change).filter(([, value]) => value !== undefined),
  );
  const changed: Link = { ...link, ...given };
  return {
    ...changed,
    location: toLocation(changed.longUrl),
    destinations: numbered(link.destinations, destinations ?? {}),
    status: status ?? (opens ? 'ACTIVE' : link.status),
    closedByLimit: status === undefined && !opens && link.closedByLimit,
  };
}

function checkedTimes(
  requested: RulableChange,
  link: Pick<Link, 'startsAt'> | null,
  now: Date,
): Record<TimeField, Date | null | undefined> {
  const times = TIME_ROWS.map(({ key, name, isFuture }) => {
    const time = requested[key];
    if (time === null || time === undefined) return [key, time];
    if (key === 'startsAt') return [key, checkedStart(time, link, now)];
    return [key, isFuture ? futureTime(time, name, now.getTime()) : validTime(time, name)];
  });
  return Object.fromEntries(times) as Record<TimeField, Date | null | undefined>;
}

/** A client may repeat a link's current start, even if that time has passed. */
function checkedStart(
  requested: number | string,
  link: Pick<Link, 'startsAt'> | null,
  now: Date,
): Date {
  const present = link?.startsAt ?? null;
  const seconds = Math.floor((parseTime(requested) ?? NaN) / 1000);
  if (present?.getTime() === seconds * 1000) return present;
  return futureTime(requested, 'starts_at', now.getTime());
}

type LinkTimes = Pick<Link, 'expireAfter' | 'startsAt'>;

/** Returns the changed field that would make the link end before it starts; null if valid. */
export function misplacedTime(
  change: Partial<LinkTimes>,
  link: LinkTimes,
): 'expire_after' | 'starts_at' | null {
  const { expireAfter = link.expireAfter, startsAt = link.startsAt } = change;
  if (change.expireAfter === undefined && change.startsAt === undefined) return null;
  if (expireAfter === null || startsAt === null || startsAt < expireAfter) return null;
  const isMoved = startsAt.getTime() !== link.startsAt?.getTime();
  return isMoved ? 'starts_at' : 'expire_after';
}
