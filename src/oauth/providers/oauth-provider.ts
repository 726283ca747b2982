import { createHash } from 'node:crypto';
import type { ProviderName } from '../../config/sign-in-providers';
import type { ProviderProfile } from './provider-profile';

/** S256 challenge for a PKCE verifier (RFC 7636). */
export function codeChallenge(codeVerifier: string): string {
  return createHash('sha256').update(codeVerifier).digest('base64url');
}

/** Secrets in an authorization request, each in base64url. */
export interface Proof {
  readonly state: string;
  /** PKCE: the request contains its SHA-256, the code exchange the verifier. */
  readonly codeVerifier: string;
  /** Returned in the ID token, if there is one. */
  readonly nonce: string;
}

/** Rejections can have any type. Callers must not expose their messages. */
export interface OauthProtocol {
  authorizationUrl(proof: Proof): Promise<string>;
  /** @param answer the callback's query, with exactly one `code` */
  profile(answer: URLSearchParams, proof: Proof): Promise<ProviderProfile>;
}

export interface OauthProvider extends OauthProtocol {
  readonly name: ProviderName;
  readonly title: string;
}

export const PROVIDER_MS = 10_000;
