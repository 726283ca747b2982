/** Scopes of API keys (docs/contract.md#3.2). */
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

/** The account behind a request, whatever credential it came with (docs/contract.md#3.1). */
export interface Principal {
  /** The account itself: its sessions, its keys, its limits. */
  readonly userId: string;
  /** Owner of links, of their statistics and of files: of everything that is made for keeping. */
  readonly ownerId: string;
  /** `session` = a JWT bearer or the access_token cookie; `key` = an API key. */
  readonly kind: 'session' | 'key';
  /** The sign-in that the session comes from; null for keys. */
  readonly sessionId: string | null;
  /** Id of the API key; sessions have none. */
  readonly keyId?: string;
  /** Scopes of a key; empty for sessions, which need none. */
  readonly scopes: readonly Scope[];
  /** Address of a session's account, for people to see whose it is; keys have none. */
  readonly email?: string;
  /** A JWT's claim, or the account's state for a key. */
  readonly emailVerified: boolean;
  /** By the account itself, at this request; known where the session has to be live alone. */
  readonly isAdmin?: boolean;
}

/** The only place that says for which owner an account acts: today for itself. */
export function principalFor(account: Omit<Principal, 'ownerId'>): Principal {
  return { ...account, ownerId: account.userId };
}
