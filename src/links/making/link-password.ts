import { isUtf8 } from 'node:buffer';
import { BadRequestError } from '../../common/errors';
import type { Client } from '../../infrastructure/client-address/client-address';
import {
  hashPassword,
  verifyPassword,
  verifyPlainBcrypt,
} from '../../infrastructure/hashing/password-hash';

export const LINK_PASSWORD_LENGTH = { min: 8, max: 128 } as const;
/** A lower bcrypt cost than for accounts, because every visit with a password computes a hash. */
const COST = 10;

/** The password needs a letter, a digit, and `@` or `.`, which must not be adjacent. */
export function isComposedWell(password: string): boolean {
  return (
    /[A-Za-z]/.test(password) &&
    /[0-9]/.test(password) &&
    /[@.]/.test(password) &&
    !/[@.]{2}/.test(password)
  );
}

export function refuseBadComposition(password: string): void {
  if (isComposedWell(password)) return;
  throw new BadRequestError(
    'The password needs a letter, a digit, and a dot or @; dots and @ must not be adjacent',
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

/** Prefix of an imported hash, which is replaced when a visitor enters the correct password. */
const FOREIGN = 'foreign:';
/** Kutt's bcrypt cost. A higher cost would block a thread for seconds. */
const MAX_FOREIGN_COST = 12;

/** Returns the stored form of an imported bcrypt hash; null if the text is not a bcrypt hash. */
export function foreignLinkPasswordHash(text: string): string | null {
  const [, cost] = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(text) ?? [];
  const isUsable = cost !== undefined && Number(cost) >= 4 && Number(cost) <= MAX_FOREIGN_COST;
  return isUsable ? FOREIGN + text : null;
}

export function isForeignHash(hash: string): boolean {
  return hash.startsWith(FOREIGN);
}

/** Node decodes headers and URLs as Latin-1, but most clients send UTF-8. */
function possibleReadings(password: string): string[] {
  if (!/^[\0-\xff]*[\x80-\xff][\0-\xff]*$/.test(password)) return [password];
  const bytes = Buffer.from(password, 'latin1');
  return isUtf8(bytes) ? [bytes.toString(), password] : [password];
}
