import type { Proof } from '../providers/oauth-provider';

/** docs/contract.md#12.6: how long a state is valid. */
export const STATE_SECONDS = 600;

/** The account that an attempt links to, as it was when the attempt began. */
export interface LinkTarget {
  readonly userId: string;
  readonly sessionEpoch: number;
  /** The session that asked for it. */
  readonly sessionId: string;
}

/** Purpose of an attempt to sign in, or to link. */
export interface AttemptPurpose {
  /** Path of this site. */
  readonly next: string;
  /** Null when the attempt is to sign in. */
  readonly link: LinkTarget | null;
}

/** A purpose whose browser has come back with its state. */
export interface PendingAttempt extends AttemptPurpose {
  readonly proof: Proof;
}
