import { createHash } from 'node:crypto';

/** Allows its holder to move an anonymous link to an account. Shown once, to the creator. */
export interface ClaimToken {
  /** 43 URL- and cookie-safe characters. */
  readonly token: string;
  readonly hash: string;
}

/** @param secret 32 random bytes */
export function toClaimToken(secret: Buffer): ClaimToken {
  const token = secret.toString('base64url');
  return { token, hash: claimHash(token) };
}

export function claimHash(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
