import { isExpired, isScheduled, type RememberedLink } from '../stores/links/link';
import { UnknownLinkError } from '../stores/links/link.errors';
import { LinkGoneError } from './redirect.errors';

/** A closed link's redirect target. Visits to it are not clicks (docs/contract.md#26.2). */
export interface Diversion {
  readonly url: string;
  readonly outcome: 'expired' | 'pre_start';
}

/** Returns null for an open link. Throws LinkGoneError or UnknownLinkError without a target. */
export function decideDiversion(link: RememberedLink, at: number): Diversion | null {
  if (link.blocked !== null) throw new LinkGoneError();
  const isOff = link.status !== 'ACTIVE';
  if (isOff && !link.closedByLimit) throw new LinkGoneError();
  if (isOff || isExpired(link, at)) return diversionAfterEnd(link);
  if (!isScheduled(link, at)) return null;
  // The link must not be disclosed before its start.
  if (link.preStartUrl === null) throw new UnknownLinkError('address');
  return { url: link.preStartUrl, outcome: 'pre_start' };
}

/** Returns the target for an expired or used-up link. Throws LinkGoneError if there is none. */
export function diversionAfterEnd({ expiredRedirectUrl }: RememberedLink): Diversion {
  if (expiredRedirectUrl === null) throw new LinkGoneError();
  return { url: expiredRedirectUrl, outcome: 'expired' };
}
