import type { TokenPair } from '../../auth/tokens';
import type { Client } from '../../infrastructure/client-address/client-address';

/** How somebody has proved who they are: `pwd` or a provider's name (claim `amr`, docs/contract.md#3.3). */
export type SignInMethod = string;

/** One sign-in: the family of refresh tokens that descend from it. */
export interface Session {
  readonly id: string;
  readonly userId: string;
  readonly methods: readonly SignInMethod[];
}

/** The browser of a session, as far as it tells; of its address the country alone is kept. */
export interface SessionBrowser {
  readonly browser: string | null;
  readonly os: string | null;
  /** English name. */
  readonly country: string | null;
}

/** A session as its owner gets to see it among the others. */
export interface ListedSession extends SessionBrowser {
  readonly id: string;
  readonly createdAt: Date;
  /** When it was signed in or last refreshed, which a session in use is every 15 minutes. */
  readonly lastSeenAt: Date;
}

/** Where a sign-in or a refresh comes from. */
export interface SignInOrigin {
  readonly client: Client;
  /** The User-Agent header, empty without. */
  readonly userAgent: string;
  /** The refresh token that the browser presents, and loses when it gets another session. */
  readonly refreshToken: string | null;
  /** Cookie in which the browser presents earlier sign-ins, null without. */
  readonly device: string | null;
}

/** Tokens and cookies that a browser gets for a session. */
export interface OpenedSession extends TokenPair {
  /** Cookie that tells the browser from others at its next sign-in; null = it keeps its own. */
  readonly device: string | null;
}

/** An answer, and the session that its browser has from now on; null = none any more. */
export class SessionAnswer<T> {
  constructor(
    readonly body: T,
    readonly session: OpenedSession | null,
  ) {}
}
