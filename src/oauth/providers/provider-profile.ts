import { readEmail } from '../../accounts/account-email';
import { parseUrl } from '../../config/url';

/** Whom a provider says it has in front of it. */
export interface ProviderProfile {
  /** Never the same for two people, whatever provider stands behind the name. */
  readonly subject: string;
  /** Normalised; null when there is none to use. */
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly name: string | null;
  readonly picture: string | null;
}

const LONGEST = { subject: 1024, name: 255, picture: 2048 };

/**
 * Reads standard claims (OpenID Connect Core 5.1). People write names and pictures themselves, so
 * that only what is harmless is kept.
 *
 * @throws Error when there is no `sub`
 */
export function profileFrom(claims: Readonly<Record<string, unknown>>): ProviderProfile {
  const { sub, email_verified: verified } = claims;
  if (typeof sub !== 'string' || sub === '' || sub.length > LONGEST.subject) {
    throw new Error('The profile has no usable sub');
  }
  const email = emailOf(claims.email);
  return {
    subject: sub,
    email,
    // Some providers write the boolean as a text.
    emailVerified: email !== null && (verified === true || verified === 'true'),
    name: nameOf(claims.name),
    picture: pictureOf(claims.picture),
  };
}

function emailOf(value: unknown): string | null {
  return typeof value === 'string' ? readEmail(value) : null;
}

function nameOf(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const name = value
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .slice(0, LONGEST.name);
  return name.toWellFormed() || null;
}

function pictureOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > LONGEST.picture) return null;
  return /^https?:\/\//i.test(value) ? (parseUrl(value)?.href ?? null) : null;
}
