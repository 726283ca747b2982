import { readEmail } from '../../accounts/account/account-email';
import { MAX_USER_NAME } from '../../accounts/account/accounts.dto';
import { firstCodePoints, textProblem } from '../../common/plain-text';
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
