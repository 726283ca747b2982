import { applyDecorators, Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { isEmail, registerDecorator, type ValidationArguments } from 'class-validator';
import type { AuditActor } from '../../audit-trail/audit-entry';
import { asciiDomain } from '../../common/host';
import { AppLog } from '../../common/log';
import type { Client } from '../../infrastructure/client-address/client-address';

/**
 * Logs one line per sign-in at level info for tools such as fail2ban, which rely on its messages
 * and field names (docs/operations.md). Never logs text that a user typed, such as the email.
 */
@Injectable()
export class SignInLog {
  constructor(private readonly log: AppLog) {}

  /** @param account null if the email has no account */
  failed(client: Client, account: Pick<Account, 'id'> | null, reason: string): void {
    const fields = { address: client.address, account: account?.id ?? null, reason };
    this.log.info('Sign-in failed', fields);
  }

  registered(client: Client, account: Pick<Account, 'id'>, method: string): void {
    const fields = { address: client.address, account: account.id, method };
    this.log.info('Account registered', fields);
  }
}

export const MAX_EMAIL_LENGTH = 254;

/** Allows all non-ASCII characters, because `asciiDomain` checks those. */
const DOMAIN_CHARACTERS = /^[a-zA-Z0-9.\-\u0080-\u{10ffff}]+$/u;

/**
 * Returns an email's stored form (docs/contract.md#12.2); null for text that is not an address.
 * `localhost` is the only accepted domain without a dot.
 *
 * Two strings have the same form only if they reach the same mailbox. In the local part, NFC and
 * lowercasing A to Z are therefore the only changes: `toLowerCase` would map the Kelvin sign to k,
 * which is another person's address.
 */
export function readEmail(text: string): string | null {
  const trimmed = text.trim();
  // domainToASCII throws for an unpaired surrogate.
  if (trimmed.length > MAX_EMAIL_LENGTH || !trimmed.isWellFormed()) return null;
  const at = trimmed.lastIndexOf('@');
  const domain = emailDomain(trimmed.slice(at + 1));
  if (at < 1 || domain === null || becomesAscii(trimmed)) return null;
  const local = trimmed.slice(0, at).normalize('NFC').replace(/[A-Z]/g, toLowerLetter);
  const email = `${local}@${domain}`;
  return email.length <= MAX_EMAIL_LENGTH && isWellFormed(email) ? email : null;
}

/**
 * Returns the stored form of a new account's email. Null for quoted local parts (RFC 5321 4.1.2)
 * and characters that RFC 8265 removes or replaces, since one mailbox could otherwise have several
 * accounts. Existing accounts keep such addresses.
 */
export function readNewEmail(text: string): string | null {
  const email = readEmail(text);
  if (email === null) return null;
  const local = email.slice(0, email.lastIndexOf('@'));
  return local.includes('"') || local !== local.normalize('NFKC') || UNSEEN_CHARACTER.test(local)
    ? null
    : email;
}

const UNSEEN_CHARACTER = /[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}]/u;

/** Null if the domain has no `xn--…` form. */
function emailDomain(domain: string): string | null {
  // The conversion parses the text like a URL and would ignore a path or a port.
  return DOMAIN_CHARACTERS.test(domain) ? asciiDomain(domain) || null : null;
}

/** Whether NFC converts a non-ASCII character, such as the Kelvin sign, to an ASCII character. */
function becomesAscii(text: string): boolean {
  return (text.match(/[^\0-\x7f]/gu) ?? []).some(hasAsciiTwin);
}

function hasAsciiTwin(character: string): boolean {
  return /[\0-\x7f]/.test(character.normalize('NFC'));
}

function isWellFormed(email: string): boolean {
  return isEmail(email) || (email.endsWith('@localhost') && isEmail(email, { require_tld: false }));
}

function toLowerLetter(letter: string): string {
  return letter.toLowerCase();
}

/** @param read returns the stored form; `readNewEmail` for new accounts */
export function EmailField(read = readEmail): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ format: 'email', maxLength: MAX_EMAIL_LENGTH, example: 'ada@example.com' }),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? (read(value) ?? value) : value,
    ),
    (target: object, property?: string | symbol) => {
      registerDecorator({
        name: 'isAccountEmail',
        target: target.constructor,
        propertyName: String(property),
        validator: {
          validate: (value: unknown) => typeof value === 'string' && read(value) === value,
          defaultMessage: ({ property: name }: ValidationArguments) =>
            `${name} must be an email address of at most ${MAX_EMAIL_LENGTH} characters`,
        },
      });
    },
  );
}

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
