import { toStoredHost } from './destination-hosts';

/** EXPIRED links are also INACTIVE. */
export const SEARCHED_STATUSES = ['ACTIVE', 'INACTIVE', 'EXPIRED', 'BLOCKED'] as const;
export type SearchedStatus = (typeof SEARCHED_STATUSES)[number];

export interface LinkCriteria {
  /** Text that the alias or the destination contains, ignoring case. */
  readonly text?: string;
  /** A destination's host; also matches subdomains. */
  readonly host?: string;
  readonly ownerId?: string;
  readonly status?: SearchedStatus;
}

export function toConditions({ text, host, status }: LinkCriteria, now: Date): object[] {
  return [
    ...(text === undefined ? [] : [linkTextFilter(text)]),
    ...(host === undefined ? [] : [leadingTo(host)]),
    ...(status === undefined ? [] : [linkStatusFilter(status, now)]),
  ];
}

function linkTextFilter(text: string): object {
  const part = text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  // The domain id before the slash is not part of the alias and must not match.
  const alias = new RegExp(`${part}[^/]*$`, 'i');
  return { $or: [{ alias }, { long_url: new RegExp(part, 'i') }] };
}

/** Searches a range of prefixes, because stored subdomains start with the stored host. */
export function leadingTo(host: string): object {
  const from = toStoredHost(host);
  const below = `${from.slice(0, -1)}/`;
  return { destination_hosts: { $elemMatch: { $gte: from, $lt: below } } };
}

function linkStatusFilter(status: SearchedStatus, now: Date): object {
  if (status === 'BLOCKED') return { 'blocked.at': { $exists: true } };
  const over = { expire_after: { $lte: now } };
  const scheduled = { starts_at: { $gt: now } };
  const closed = { status: 'INACTIVE' } as const;
  const open = { blocked: { $exists: false } } as const;
  switch (status) {
    case 'ACTIVE':
      return { ...open, status: 'ACTIVE', $nor: [over, scheduled] };
    case 'INACTIVE':
      return { ...open, $or: [over, scheduled, closed] };
    case 'EXPIRED':
      return { ...open, $or: [over, { ...closed, closed_by_limit: true }] };
  }
}
