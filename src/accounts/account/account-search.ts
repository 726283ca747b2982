import type { Role } from './account';

export const ACCOUNT_STANDINGS = ['active', 'suspended', 'unverified', 'deleting'] as const;
export type AccountStanding = (typeof ACCOUNT_STANDINGS)[number];

/** Absent criteria match all accounts. */
export interface AccountCriteria {
  /** Substring of the address or the name, case-insensitive. */
  readonly text?: string;
  readonly standing?: AccountStanding;
  readonly role?: Role;
}

export interface AccountPage {
  readonly page: number;
  readonly pageSize: number;
  readonly by: 'created_at' | 'last_sign_in_at';
  readonly descending: boolean;
}

export function toAccountFilter({ text, standing, role }: AccountCriteria): object {
  const conditions: object[] = [
    ...(text === undefined ? [] : [accountTextFilter(text)]),
    ...(standing === undefined ? [] : [standingFilter(standing)]),
    // Accounts from earlier releases have no role and are users.
    ...(role === undefined ? [] : [{ role: role === 'admin' ? role : { $ne: 'admin' as const } }]),
  ];
  return conditions.length === 0 ? {} : { $and: conditions };
}

function accountTextFilter(text: string): object {
  const part = new RegExp(text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'i');
  return { $or: [{ email: part }, { user_name: part }] };
}

function standingFilter(standing: AccountStanding): object {
  const now = new Date();
  if (standing === 'deleting') return { deletes_at: { $lte: now } };
  // `$not` also matches accounts without a date.
  const staying = { deletes_at: { $not: { $lte: now } } };
  if (standing === 'suspended') return { ...staying, 'suspended.at': { $exists: true } };
  return { ...staying, suspended: null, email_verified: standing === 'active' };
}
