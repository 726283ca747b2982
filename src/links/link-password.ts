import { isUtf8 } from 'node:buffer';
import { BadRequestError } from '../common/errors';
import type { Client } from '../infrastructure/client-address/client-address';
import { hashPassword, verifyPassword } from '../infrastructure/hashing/password-hash';

export const LINK_PASSWORD_LENGTH = { min: 8, max: 128 } as const;
/** Lower than an account's: it is checked on visits, behind a limit of 10 a minute. */
const COST = 10;

/** True when the composition follows spec.md: a letter, a digit, and `@` or `.`, never adjacent. */
export function isComposedWell(password: string): boolean {
  return (
    /[A-Za-z]/.test(password) &&
    /[0-9]/.test(password) &&
    /[@.]/.test(password) &&
    !/[@.]{2}/.test(password)
  );
}

/** 400 by composition. */
export function refuseBadComposition(password: string): void {
  if (isComposedWell(password)) return;
  throw new BadRequestError(
    'The password needs a letter, a digit and one of @ and ., and no two of @ and . side by side',
    'password',
  );
}

export function hashLinkPassword(password: string, client: Client): Promise<string> {
  return hashPassword(password, COST, { kind: 'link', client });
}

export function isLinkPassword(password: string, hash: string, client: Client): Promise<boolean> {
  return verifyPassword(readingsOf(password), hash, { kind: 'link', client });
}

/** Node reads headers and addresses as one character a byte; most clients mean UTF-8. */
function readingsOf(password: string): string[] {
  if (!/^[\0-\xff]*[\x80-\xff][\0-\xff]*$/.test(password)) return [password];
  const bytes = Buffer.from(password, 'latin1');
  return isUtf8(bytes) ? [bytes.toString(), password] : [password];
}
