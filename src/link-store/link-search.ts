import type { mongo } from 'mongoose';
import type { LinkRecord } from './link.schema';

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

/** Fields with an address each; those of countries have names of their own. */
const ADDRESSES = [
  'long_url',
  'pre_start_url',
  'expired_redirect_url',
  'rules.to',
  'ab_variants.url',
] as const;

/** The demands but for the owner, as conditions of the database. */
export function conditionsOf(
  { text, host, status }: LinkCriteria,
  now: Date,
): mongo.Filter<LinkRecord>[] {
  return [
    ...(text === undefined ? [] : [holding(text)]),
    ...(host === undefined ? [] : [leadingTo(host)]),
    ...(status === undefined ? [] : [having(status, now)]),
  ];
}

function holding(text: string): mongo.Filter<LinkRecord> {
  const part = escaped(text);
  // The id of a domain, which is before the slash, is no part of the alias.
  const alias = new RegExp(`${part}[^/]*$`, 'i');
  return { $or: [{ alias }, { long_url: new RegExp(part, 'i') }] };
}

function leadingTo(host: string): mongo.Filter<LinkRecord> {
  const before = '^[a-z][a-z\\d+.-]*://(?:[^/?#@]*@)?(?:[^/?#@:]*\\.)?';
  const address = new RegExp(`${before}${escaped(host)}\\.?(?::\\d*)?(?:[/?#]|$)`, 'i');
  return { $or: ADDRESSES.map((field) => ({ [field]: address })) };
}

function having(status: SearchedStatus, now: Date): mongo.Filter<LinkRecord> {
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
