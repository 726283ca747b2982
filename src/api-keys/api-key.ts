import { createHash } from 'node:crypto';
import type { Scope } from '../auth/access';

/** An API key as stored: metadata and a digest, but not the key itself. */
export interface ApiKey {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  readonly description: string | null;
  readonly scopes: readonly Scope[];
  /** First characters after `svc_`, which help the owner distinguish keys. */
  readonly prefix: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revoked: boolean;
  readonly lastUsedAt: Date | null;
}

export const MAX_KEYS = 20;

const KEY_START = 'svc_';
const FORM = /^svc_[A-Za-z0-9_-]{43}$/;
const PREFIX_LENGTH = 8;

/** `svc_` and 32 secret bytes as 43 URL-safe base64 characters (docs/contract.md#11). */
export function toKeyText(secret: Buffer): string {
  return KEY_START + secret.toString('base64url');
}

export function isKeyText(text: string): boolean {
  return FORM.test(text);
}

export function digestOfKey(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function prefixOfKey(text: string): string {
  return text.slice(KEY_START.length, KEY_START.length + PREFIX_LENGTH);
}
