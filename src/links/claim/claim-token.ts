import { createHash } from 'node:crypto';

/** The right to take a link of nobody's into an account: who made it is told the token, once. */
export interface ClaimToken {
  /** 43 characters, safe in URLs and cookies. */
  readonly token: string;
  /** Its SHA-256, the stored form. */
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
