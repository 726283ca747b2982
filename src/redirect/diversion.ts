import { isExpired, isScheduled, type RememberedLink } from '../stores/links/link';
import { UnknownLinkError } from '../stores/links/link.errors';
import { LinkGoneError } from './redirect.errors';

/** Where a visit leads that the destination is closed to: it counts no click (docs/contract.md#26.2). */
export interface Diversion {
  readonly url: string;
  readonly outcome: 'expired' | 'pre_start';
}

/**
 * Where a link leads while it is closed by its time or its clicks; null for an open one. Throws
 * LinkGoneError and UnknownLinkError where it leads nowhere, as a blocked one does.
 */
export function decideDiversion(link: RememberedLink, at: number): Diversion | null {
  if (link.blocked !== null) throw new LinkGoneError();
  const isOff = link.status !== 'ACTIVE';
  if (isOff && !link.closedByLimit) throw new LinkGoneError();
  if (isOff || isExpired(link, at)) return diversionAfterEnd(link);
  if (!isScheduled(link, at)) return null;
  // Nobody is to learn of it yet.
  if (link.preStartUrl === null) throw new UnknownLinkError('address');
  return { url: link.preStartUrl, outcome: 'pre_start' };
}

/** Where a link leads that has run out of time or clicks; throws LinkGoneError where nowhere. */
export function diversionAfterEnd({ expiredRedirectUrl }: RememberedLink): Diversion {
  if (expiredRedirectUrl === null) throw new LinkGoneError();
  return { url: expiredRedirectUrl, outcome: 'expired' };
}
