/** A sign-in at a provider that belongs to an account (docs/contract.md#12.6). */
export interface LinkedIdentity {
  readonly provider: string;
  /** The provider's own id of the person; unique within the provider. */
  readonly subject: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly linkedAt: Date;
  readonly name: string | null;
  readonly picture: string | null;
}

/** Profile picture and the provider that it comes from. */
export interface Picture {
  readonly url: string;
  readonly source: string;
}

export const ROLES = ['user', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Why an account may do nothing for the time being. */
export interface Suspension {
  readonly at: Date;
  /** Id of the admin; null = the command line. */
  readonly by: string | null;
  readonly reason: string;
}

/** A person who uses the service. */
export interface Account {
  readonly id: string;
  /** In the form that `readEmail` gives it; unique. */
  readonly email: string;
  readonly emailVerified: boolean;
  readonly userName: string | null;
  /** Null for accounts that sign in through a provider only. */
  readonly passwordHash: string | null;
  readonly identities: readonly LinkedIdentity[];
  readonly picture: Picture | null;
  /** Rises when all sessions are ended; a session of an older epoch is refused. */
  readonly sessionEpoch: number;
  readonly createdAt: Date;
  readonly role: Role;
  readonly suspended: Suspension | null;
  /** Null unless its owner, or an admin, has asked for its deletion. */
  readonly deletesAt: Date | null;
  /** Null for an account of an earlier release that has not signed in since. */
  readonly lastSignInAt: Date | null;
}

type Standing = Pick<Account, 'role' | 'emailVerified' | 'suspended' | 'deletesAt'>;

/** Whether the account may administer the service (docs/contract.md#24.1). */
export function isAdmin({ role, emailVerified, suspended, deletesAt }: Standing): boolean {
  return role === 'admin' && emailVerified && suspended === null && deletesAt === null;
}

/** Whether the account is being deleted: nobody acts with it any more (docs/contract.md#24.12). */
export function isGoing({ deletesAt }: Pick<Account, 'deletesAt'>): boolean {
  return deletesAt !== null && deletesAt.getTime() <= Date.now();
}

/**
 * True for an unverified session of an account that is verified by now and whose sessions have
 * been ended since: whoever opened it is not known to be the owner of the address. Everybody else
 * has a fresh token from the verification, the sign-in or the refresh that came after.
 */
export function isSuperseded(account: Account, session: { emailVerified: boolean }): boolean {
  return !session.emailVerified && account.emailVerified && account.sessionEpoch > 0;
}

/**
 * The ways in that the account has (claim `amr`, docs/contract.md#3.3): its password, or else its
 * providers by their own names. A code by mail is none of its own.
 */
export function signInMethods(account: Account): string[] {
  return account.passwordHash === null
    ? account.identities.map(({ provider }) => provider)
    : ['pwd'];
}
