import type { TokenPair } from '../../auth/tokens';
import type { Client } from '../../infrastructure/client-address/client';

/** How somebody has proved who they are: `pwd` or a provider's name (claim `amr`, docs/contract.md#3.3). */
export type SignInMethod = string;

/** One sign-in: the family of refresh tokens that descend from it. */
export interface Session {
  readonly id: string;
  readonly userId: string;
  readonly methods: readonly SignInMethod[];
}

/** Where a sign-in comes from. */
export interface SignInOrigin {
  readonly client: Client;
  /** What the browser presents of earlier sign-ins, null without. */
  readonly device: string | null;
}

/** What a browser is to have of a session. */
export interface OpenedSession extends TokenPair {
  /** What tells the browser from others at its next sign-in; null = it keeps what it has. */
  readonly device: string | null;
}

/** An answer, and the session that its browser has from now on; null = none any more. */
export class SessionAnswer<T> {
  constructor(
    readonly body: T,
    readonly session: OpenedSession | null,
  ) {}
}
