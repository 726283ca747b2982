import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import bcrypt from 'bcrypt';
import { Turns } from './turns';

/** Hashing leaves a core to the redirects: a flood of sign-ins delays sign-ins alone. */
const turns = new Turns(Math.max(1, availableParallelism() - 1));

/** bcrypt reads 72 bytes only: a SHA-256 of the whole password, in base64, goes in instead. */
function preHash(password: string): string {
  return createHash('sha256').update(password, 'utf8').digest('base64');
}

/** Hash of a password for storage (bcrypt over a SHA-256 pre-hash), off the event loop. */
export function hashPassword(password: string, cost: number): Promise<string> {
  return turns.take(() => bcrypt.hash(preHash(password), cost));
}

export function verifyPassword(password: string, hash: string): Promise<boolean> {
  return turns.take(() => bcrypt.compare(preHash(password), hash));
}
