export const SCOPES = [
  'shorten:create',
  'urls:read',
  'urls:manage',
  'stats:read',
  'domains:read',
  'domains:manage',
  'reports:create',
  'admin:all',
] as const;

export type Scope = (typeof SCOPES)[number];

export interface Principal {
  /** The account: owns sessions, keys and limits. */
  readonly userId: string;
  /** Owner of links, statistics and files. */
  readonly ownerId: string;
  /** `session` = a JWT bearer or the access_token cookie; `key` = an API key. */
  readonly kind: 'session' | 'key';
  readonly sessionId: string | null;
  readonly keyId?: string;
  /** Scopes of a key; empty for sessions, which need no scope. */
  readonly scopes: readonly Scope[];
  readonly email?: string;
  /** From the JWT's claim, or for a key from the account. */
  readonly emailVerified: boolean;
  /** Read from the account for this request; set only if the route requires a live session. */
  readonly isAdmin?: boolean;
}

/** The only place that maps an account to the owner it acts for: currently itself. */
export function principalFor(account: Omit<Principal, 'ownerId'>): Principal {
  return { ...account, ownerId: account.userId };
}
