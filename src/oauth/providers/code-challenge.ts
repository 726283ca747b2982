import { createHash } from 'node:crypto';

/** The S256 challenge of a PKCE verifier (RFC 7636). */
export function challengeOf(codeVerifier: string): string {
  return createHash('sha256').update(codeVerifier).digest('base64url');
}
