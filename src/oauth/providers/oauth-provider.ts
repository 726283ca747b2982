import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ProviderName, SignInProvider } from '../../config/sign-in-providers';
import { readEmail } from '../../accounts/account/account';
import { MAX_USER_NAME } from '../../accounts/account/accounts.dto';
import { firstCodePoints, textProblem } from '../../common/plain-text';
import { parseUrl } from '../../config/url';
import { HttpOptions, OauthOptions } from '../../config/options';
import { UnknownProviderError } from './oauth.errors';

export type Claims = Readonly<Record<string, unknown>>;

export interface ProviderProfile {
  /** Unique per user, even if the operator configures another provider with the same name. */
  readonly subject: string;
  /** Normalised; null if missing or unusable. */
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly name: string | null;
  readonly picture: string | null;
}

const MAX_LENGTHS = { subject: 1024, name: MAX_USER_NAME, picture: 2048 };

/**
 * Keeps only safe values, because users choose name and picture. Entra ID and AD FS may send the
 * address only as the user name, which proves no ownership. @throws Error without `sub`
 */
export function profileFrom(claims: Claims): ProviderProfile {
  const { sub, email_verified: verified } = claims;
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_LENGTHS.subject) {
    throw new Error('The profile has no usable sub');
  }
  const email = readAddress(claims.email);
  return {
    subject: sub,
    email: email ?? readAddress(claims.preferred_username) ?? readAddress(claims.upn),
    // Some providers send the boolean as a string.
    emailVerified: email !== null && (verified === true || verified === 'true'),
    name: readName(claims.name),
    picture: readPicture(claims.picture),
  };
}

function readAddress(value: unknown): string | null {
  return typeof value === 'string' ? readEmail(value) : null;
}

function readName(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const line = value.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  const name = firstCodePoints(line.trim(), MAX_LENGTHS.name).trim();
  return textProblem(name, { max: MAX_LENGTHS.name }) === null ? name : null;
}

function readPicture(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_LENGTHS.picture) return null;
  return /^https?:\/\//i.test(value) ? (parseUrl(value)?.href ?? null) : null;
}

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

interface Implementation {
  readonly default: new (settings: SignInProvider, redirectUri: string) => OauthProtocol;
}

/** A configured provider, whose implementation is loaded on the first sign-in. */
class ConfiguredProvider implements OauthProvider {
  readonly name: SignInProvider['name'];
  readonly title: string;
  private protocol?: Promise<OauthProtocol>;

  constructor(
    private readonly settings: SignInProvider,
    private readonly redirectUri: string,
  ) {
    ({ name: this.name, title: this.title } = settings);
  }

  async authorizationUrl(proof: Proof): Promise<string> {
    return (await this.open()).authorizationUrl(proof);
  }

  async profile(answer: URLSearchParams, proof: Proof): Promise<ProviderProfile> {
    return (await this.open()).profile(answer, proof);
  }

  private open(): Promise<OauthProtocol> {
    this.protocol ??= import(`./${this.settings.implementation}`).then(
      ({ default: Protocol }: Implementation) => new Protocol(this.settings, this.redirectUri),
    );
    return this.protocol;
  }
}

@Injectable()
export class OauthProviders {
  private readonly all: readonly OauthProvider[];

  constructor({ providers }: OauthOptions, { baseUrl }: HttpOptions) {
    this.all = providers.map(
      (settings) => new ConfiguredProvider(settings, `${baseUrl}/oauth/${settings.name}/callback`),
    );
  }

  get names(): string[] {
    return this.all.map(({ name }) => name);
  }

  /** Returns the display name, or the path name for a provider that is no longer configured. */
  findTitle(name: string): string {
    return this.all.find((candidate) => candidate.name === name)?.title ?? name;
  }

  /** @throws UnknownProviderError */
  demand(name: string): OauthProvider {
    const provider = this.all.find((candidate) => candidate.name === name);
    if (provider === undefined) throw new UnknownProviderError();
    return provider;
  }
}
