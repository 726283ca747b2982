import { isUtf8 } from 'node:buffer';
import { BadRequestError } from '../common/errors';
import type { Client } from '../infrastructure/client-address/client-address';
import {
  hashPassword,
  verifyPassword,
  verifyPlainBcrypt,
} from '../infrastructure/hashing/password-hash';

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
  const readings = possibleReadings(password);
  return isForeignHash(hash)
    ? verifyPlainBcrypt(readings, hash.slice(FOREIGN.length), { kind: 'link', client })
    : verifyPassword(readings, hash, { kind: 'link', client });
}

/** Begins hashes that another service has made, until the first right entry gives ours. */
const FOREIGN = 'foreign:';
/** That of Kutt; higher ones would keep a thread for seconds. */
const MAX_FOREIGN_COST = 12;

/** The bcrypt hash of another service as it is stored; null for a text that is none. */
export function foreignLinkPasswordHash(text: string): string | null {
  const [, cost] = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(text) ?? [];
  const isUsable = cost !== undefined && Number(cost) >= 4 && Number(cost) <= MAX_FOREIGN_COST;
  return isUsable ? FOREIGN + text : null;
}

export function isForeignHash(hash: string): boolean {
  return hash.startsWith(FOREIGN);
}

/** Node reads headers and addresses as one character a byte; most clients mean UTF-8. */
function possibleReadings(password: string): string[] {
  if (!/^[\0-\xff]*[\x80-\xff][\0-\xff]*$/.test(password)) return [password];
  const bytes = Buffer.from(password, 'latin1');
  return isUtf8(bytes) ? [bytes.toString(), password] : [password];
}
