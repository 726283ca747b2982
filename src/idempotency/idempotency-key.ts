import { createHash } from 'node:crypto';
import { IdempotencyKeyError } from './idempotency.errors';

const KEY = /^[!-~]{1,255}$/;
/** A Structured Fields string (RFC 9651, 3.3.3). */
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;

export function parseKey(lines: readonly string[]): string {
  const [line = '', ...more] = lines;
  const key = line.startsWith('"') ? QUOTED.exec(line)?.[1]?.replace(/\\(.)/g, '$1') : line;
  if (more.length > 0 || key === undefined || !KEY.test(key)) throw new IdempotencyKeyError();
  return key;
}

export function toRequestId(...scope: readonly string[]): string {
  return sha256(JSON.stringify(scope));
}

/** Returns a digest that ignores white space and property order. */
export function bodyFingerprint(body: unknown): string {
  return sha256(canonicalJson(body));
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`,
  );
  return `{${members.sort().join()}}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
