import type { AuditActor } from '../../audit-trail/audit-entry';

/** A provider sign-in linked to an account (docs/contract.md#12.6). */
export interface LinkedIdentity {
  readonly provider: string;
  readonly subject: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly linkedAt: Date;
  readonly name: string | null;
  readonly picture: string | null;
}

export interface Picture {
  readonly url: string;
  readonly source: string;
}

export interface EarlierAddress {
  readonly email: string;
  readonly changedAt: Date;
  /** Until this time, no other account can use the address, and its owner can undo the change. */
  readonly heldUntil: Date;
  /** SHA-256 of the undo link's token; null if there is none or it is used or void. */
  readonly undo: string | null;
}

/** Returns the addresses whose owners can still undo a change and must be informed. */
export function heldAddresses({ earlier }: Pick<Account, 'earlier'>): string[] {
  const held = earlier.filter(({ heldUntil }) => heldUntil.getTime() > Date.now());
  return [...new Set(held.map(({ email }) => email))];
}

export const ROLES = ['user', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export interface Suspension {
  readonly at: Date;
  /** The admin's id; null for the command line. */
  readonly by: string | null;
  readonly reason: string;
}

/** An admin's deletion of the account, for the trail (docs/contract.md#24.7). */
export interface DeletionOrder {
  readonly actor: AuditActor;
  readonly reason: string;
  /** When the owner's own request would have deleted the account. */
  readonly before: Date | null;
}

export interface Account {
  readonly id: string;
  /** Normalized by `readEmail`; unique. */
  readonly email: string;
  readonly emailVerified: boolean;
  /** The account's previous addresses, oldest first (docs/contract.md#23.3). */
  readonly earlier: readonly EarlierAddress[];
  readonly userName: string | null;
  /** Null for accounts without a password, which sign in through a provider. */
  readonly passwordHash: string | null;
  readonly identities: readonly LinkedIdentity[];
  readonly picture: Picture | null;
  /** Incremented to end all sessions, because sessions with an older epoch are rejected. */
  readonly sessionEpoch: number;
  readonly createdAt: Date;
  readonly role: Role;
  readonly suspended: Suspension | null;
  /** Null unless the owner or an admin has requested deletion. */
  readonly deletesAt: Date | null;
  /** Null unless an admin deletes the account. */
  readonly deletion: DeletionOrder | null;
  /** Whether the links of a leaving account are closed (docs/contract.md#23.1). */
  readonly closesLinks: boolean;
  /** Null for accounts whose last sign-in was in a release that did not store this time. */
  readonly lastSignInAt: Date | null;
}

type Standing = Pick<Account, 'role' | 'emailVerified' | 'suspended' | 'deletesAt'>;

export function isAdmin({ role, emailVerified, suspended, deletesAt }: Standing): boolean {
  return role === 'admin' && emailVerified && suspended === null && deletesAt === null;
}

export interface AccountFigures {
  readonly total: number;
  readonly verified: number;
  readonly suspended: number;
  readonly admins: number;
  readonly deleting: number;
  readonly recent: number;
}

/** Facts that decide whether an account's credentials and links work. */
export interface ClosingAccount {
  readonly id: string;
  readonly isSuspended: boolean;
  readonly deletesAt: Date | null;
  readonly closesLinks: boolean;
}

/** Whether the deletion has begun. Such an account cannot be used (docs/contract.md#24.12). */
export function isGoing({ deletesAt }: Pick<Account, 'deletesAt'>): boolean {
  return deletesAt !== null && deletesAt.getTime() <= Date.now();
}

/** Whether the owner can still restore the account (docs/contract.md#23.1). */
export function isLeaving({ deletesAt }: Pick<Account, 'deletesAt'>): boolean {
  return deletesAt !== null && deletesAt.getTime() > Date.now();
}

/** Whether the session began before the email was verified, perhaps by another person. */
export function isSuperseded(account: Account, session: { emailVerified: boolean }): boolean {
  return !session.emailVerified && account.emailVerified && account.sessionEpoch > 0;
}

/** Value of the `amr` claim (docs/contract.md#3.3): the password, or else the provider names. */
export function signInMethods(account: Account): string[] {
  return account.passwordHash === null
    ? account.identities.map(({ provider }) => provider)
    : ['pwd'];
}
