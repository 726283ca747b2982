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
  /** The account's id; sessions, keys and limits belong to the account. */
  readonly userId: string;
  /** Id of the account that owns links, statistics and files. */
  readonly ownerId: string;
  /** `session`: a bearer JWT or the access_token cookie; `key`: an API key. */
  readonly kind: 'session' | 'key';
  readonly sessionId: string | null;
  readonly keyId?: string;
  /** A key's scopes; empty for sessions, which do not need scopes. */
  readonly scopes: readonly Scope[];
  readonly email?: string;
  /** The claim's value in the JWT; for an API key, the account's value. */
  readonly emailVerified: boolean;
  /** Read from the account. Set only if the route requires a live session. */
  readonly isAdmin?: boolean;
  /** Whether the account is leaving (docs/contract.md#23.1). Set for sessions. */
  readonly isLeaving?: boolean;
}

/** Only this function sets the owner for an account. Currently, the account is its own owner. */
export function principalFor(account: Omit<Principal, 'ownerId'>): Principal {
  return { ...account, ownerId: account.userId };
}
