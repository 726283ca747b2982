import { createHash } from 'node:crypto';
import type { Scope } from '../auth/principal';

/** An API key as the database holds it: never the key itself. */
export interface ApiKey {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  readonly description: string | null;
  readonly scopes: readonly Scope[];
  /** First characters after `svc_`, for its owner to tell keys apart. */
  readonly prefix: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revoked: boolean;
  readonly lastUsedAt: Date | null;
}

/** Non-revoked keys of one account (docs/contract.md#11). */
export const MAX_KEYS = 20;

const KEY_START = 'svc_';
const FORM = /^svc_[A-Za-z0-9_-]{43}$/;
const PREFIX_LENGTH = 8;

/** A new key: `svc_` and 32 secret bytes as 43 URL-safe base64 characters (docs/contract.md#11). */
export function toKeyText(secret: Buffer): string {
  return KEY_START + secret.toString('base64url');
}

export function isKeyText(text: string): boolean {
  return FORM.test(text);
}

/** Returns the digest by which a key is stored. */
export function digestOfKey(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function prefixOfKey(text: string): string {
  return text.slice(KEY_START.length, KEY_START.length + PREFIX_LENGTH);
}
