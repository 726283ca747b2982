import type { Proof } from '../providers/oauth-provider';

/** How long a state is valid (docs/contract.md#12.6). */
export const STATE_SECONDS = 600;

/** The account to link, as it was when the attempt started. */
export interface LinkTarget {
  readonly userId: string;
  readonly sessionEpoch: number;
  readonly sessionId: string;
}

export interface AttemptPurpose {
  /** Path on this site to redirect to afterwards. */
  readonly next: string;
  /** Null for a sign-in. */
  readonly link: LinkTarget | null;
}

/** An attempt whose browser has returned with its state. */
export interface PendingAttempt extends AttemptPurpose {
  readonly proof: Proof;
}
