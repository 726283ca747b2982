import { readEmail } from '../../accounts/account/account-email';
import { parseUrl } from '../../config/url';

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

const MAX_LENGTHS = { subject: 1024, name: 255, picture: 2048 };

/** Keeps only safe values, because users choose name and picture. @throws Error without `sub` */
export function profileFrom(claims: Claims): ProviderProfile {
  const { sub, email_verified: verified } = claims;
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_LENGTHS.subject) {
    throw new Error('The profile has no usable sub');
  }
  const email = typeof claims.email === 'string' ? readEmail(claims.email) : null;
  return {
    subject: sub,
    email,
    // Some providers send the boolean as a string.
    emailVerified: email !== null && (verified === true || verified === 'true'),
    name: readName(claims.name),
    picture: readPicture(claims.picture),
  };
}

function readName(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const name = value
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .slice(0, MAX_LENGTHS.name);
  return name.toWellFormed() || null;
}

function readPicture(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_LENGTHS.picture) return null;
  return /^https?:\/\//i.test(value) ? (parseUrl(value)?.href ?? null) : null;
}
