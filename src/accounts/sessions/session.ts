import type { TokenPair } from '../../auth/tokens';
import type { Client } from '../../infrastructure/client-address/client-address';

/** `pwd` or a provider name (claim `amr`, docs/contract.md#3.3). */
export type SignInMethod = string;

/** One sign-in and all refresh tokens that follow from it. */
export interface Session {
  readonly id: string;
  readonly userId: string;
  readonly methods: readonly SignInMethod[];
}

export interface SessionBrowser {
  readonly browser: string | null;
  readonly os: string | null;
  readonly country: string | null;
}

export interface ListedSession extends SessionBrowser {
  readonly id: string;
  readonly createdAt: Date;
  /** Last sign-in or refresh; a session in use refreshes every 15 minutes. */
  readonly lastSeenAt: Date;
}

export interface SignInOrigin {
  readonly client: Client;
  readonly userAgent: string;
  /** The browser's current refresh token, which a new sign-in revokes. */
  readonly refreshToken: string | null;
  readonly device: string | null;
}

export interface OpenedSession extends TokenPair {
  /** New device cookie; null keeps the current one. */
  readonly device: string | null;
}

/** A response, and the browser's new session; null ends the session. */
export class SessionAnswer<T> {
  constructor(
    readonly body: T,
    readonly session: OpenedSession | null,
  ) {}
}
