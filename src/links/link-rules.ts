import { AuthenticationError } from '../common/errors';
import { futureTime } from '../common/time';
import type { CreateLink, Link, LinkSettings, RequestedSettings } from '../link-store/link';
import { refuseReserved } from './alias';
import { refuseBadComposition } from './link-password';

const NEEDS_ACCOUNT = 'needs an account: sign in or use an API key';

/** 401 for what links of nobody's cannot have: private statistics, title, note, tags (docs/contract.md#5.1). */
export function refuseWithoutOwner({
  ownerId,
  privateStats,
  title,
  note,
  tagNames,
  countBots,
  reuse = false,
}: Pick<
  CreateLink,
  'countBots' | 'note' | 'ownerId' | 'privateStats' | 'reuse' | 'tagNames' | 'title'
>): void {
  if (ownerId !== null) return;
  if (privateStats) throw new AuthenticationError(`private_stats ${NEEDS_ACCOUNT}`);
  const fields = {
    count_bots: !countBots,
    title: title !== null,
    note: note !== null,
    tags: tagNames.length > 0,
    reuse,
  };
  for (const [field, isGiven] of Object.entries(fields)) {
    if (isGiven) throw new AuthenticationError(`${field} ${NEEDS_ACCOUNT}`, { field });
  }
}

/** Settings that are judged by themselves: tags are looked up. */
export type RulableSettings = Omit<RequestedSettings, 'tagNames'>;

/**
 * The requested settings as they are stored, but for the password, which is hashed; throws for the
 * first that breaks a rule: password, expiry, reserved alias (docs/contract.md#5.1). Absent keys stay
 * absent, null stays null; an alias of null is to be generated.
 *
 * @param link the link that they are to be of, which may keep a reserved alias; null for a new one
 */
export function checkedSettings(
  { alias, password, expireAfter, ...plain }: Partial<RulableSettings>,
  link: Pick<Link, 'alias'> | null,
  now: Date,
): Partial<Omit<LinkSettings, 'passwordHash' | 'tags'>> {
  if (typeof password === 'string') refuseBadComposition(password);
  const expiry =
    expireAfter === null || expireAfter === undefined
      ? expireAfter
      : futureTime(expireAfter, 'expire_after', now.getTime());
  if (typeof alias !== 'string') return { ...plain, expireAfter: expiry };
  if (alias !== link?.alias) refuseReserved(alias);
  return { ...plain, alias, expireAfter: expiry };
}
