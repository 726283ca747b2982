import { toStoredHost } from './destination-hosts';

/** Statuses that links of all accounts are searched by; EXPIRED ones are INACTIVE, too. */
export const SEARCHED_STATUSES = ['ACTIVE', 'INACTIVE', 'EXPIRED', 'BLOCKED'] as const;
export type SearchedStatus = (typeof SEARCHED_STATUSES)[number];

/** Demands on links of all accounts; an absent one narrows nothing. */
export interface LinkCriteria {
  /** Part of the alias or the destination, in any case. */
  readonly text?: string;
  /** Host of an address that the link can lead to, or one above it. */
  readonly host?: string;
  readonly ownerId?: string;
  readonly status?: SearchedStatus;
}

/** The demands but for the owner, as conditions of the database. */
export function toConditions({ text, host, status }: LinkCriteria, now: Date): object[] {
  return [
    ...(text === undefined ? [] : [linkTextFilter(text)]),
    ...(host === undefined ? [] : [leadingTo(host)]),
    ...(status === undefined ? [] : [linkStatusFilter(status, now)]),
  ];
}

function linkTextFilter(text: string): object {
  const part = escaped(text);
  // The id of a domain, which is before the slash, is no part of the alias.
  const alias = new RegExp(`${part}[^/]*$`, 'i');
  return { $or: [{ alias }, { long_url: new RegExp(part, 'i') }] };
}

/** Hosts are stored so that this one and all below it begin alike. */
function leadingTo(host: string): object {
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

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
