import { createHash, randomBytes } from 'node:crypto';

const START = 'svc_';
const FORM = /^svc_[A-Za-z0-9_-]{43}$/;
const PREFIX_LENGTH = 8;

/** A new key: `svc_` and 32 random bytes as 43 URL-safe base64 characters (contract 11). */
export function newKeyText(): string {
  return START + randomBytes(32).toString('base64url');
}

export function isKeyText(text: string): boolean {
  return FORM.test(text);
}

/** What is stored of a key. */
export function digestOfKey(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function prefixOfKey(text: string): string {
  return text.slice(START.length, START.length + PREFIX_LENGTH);
}
