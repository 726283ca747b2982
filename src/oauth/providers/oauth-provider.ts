import { createHash } from 'node:crypto';
import type { ProviderName } from '../../config/sign-in-providers';
import type { ProviderProfile } from './provider-profile';

/** The S256 challenge of a PKCE verifier (RFC 7636). */
export function codeChallenge(codeVerifier: string): string {
  return createHash('sha256').update(codeVerifier).digest('base64url');
}

/** Secrets of one authorization request, all of them base64url. */
export interface Proof {
  readonly state: string;
  /** PKCE; its SHA-256 goes along with the request, itself with the code exchange. */
  readonly codeVerifier: string;
  /** Comes back inside the ID token where there is one. */
  readonly nonce: string;
}

/**
 * The requests of one provider. Both methods reject with whatever went wrong; the
 * caller turns it into an answer and keeps its words out of it.
 */
export interface OauthProtocol {
  /** Where the browser is sent to. */
  authorizationUrl(proof: Proof): Promise<string>;
  /**
   * Exchanges the code and fetches the profile.
   *
   * @param answer query of the callback, with exactly one `code`
   */
  profile(answer: URLSearchParams, proof: Proof): Promise<ProviderProfile>;
}

/** A provider of identities. */
export interface OauthProvider extends OauthProtocol {
  readonly name: ProviderName;
  /** The name that people know. */
  readonly title: string;
}

/** Longest that a provider may take for one request. */
export const PROVIDER_MS = 10_000;
