import { AuthenticationError } from '../common/errors';
import { futureTime } from '../common/time';
import type { CreateLink, Link, LinkSettings, RequestedSettings } from '../link-store/link';
import { refuseReserved } from './alias';
import { refuseBadComposition } from './link-password';

/** 401 for statistics that would be nobody's (docs/contract.md#5.1). */
export function refusePrivateWithoutOwner(
  input: Pick<CreateLink, 'ownerId' | 'privateStats'>,
): void {
  if (input.ownerId === null && input.privateStats) {
    throw new AuthenticationError('private_stats needs an account: sign in or use an API key');
  }
}

/**
 * The requested settings as they are stored, but for the password, which is hashed; throws for the
 * first that breaks a rule: password, expiry, reserved alias (docs/contract.md#5.1). Absent keys stay
 * absent, null stays null; an alias of null is to be generated.
 *
 * @param link the link that they are to be of, which may keep a reserved alias; null for a new one
 */
export function checkedSettings(
  { alias, password, expireAfter, ...plain }: Partial<RequestedSettings>,
  link: Pick<Link, 'alias'> | null,
  now: Date,
): Partial<Omit<LinkSettings, 'passwordHash'>> {
  if (typeof password === 'string') refuseBadComposition(password);
  const expiry =
    expireAfter === null || expireAfter === undefined
      ? expireAfter
      : futureTime(expireAfter, 'expire_after', now.getTime());
  if (typeof alias !== 'string') return { ...plain, expireAfter: expiry };
  if (alias !== link?.alias) refuseReserved(alias);
  return { ...plain, alias, expireAfter: expiry };
}
