import { createHash } from 'node:crypto';
import bcrypt from 'bcrypt';

/** bcrypt reads 72 bytes only: a SHA-256 of the whole password, in base64, goes in instead. */
function preHash(password: string): string {
  return createHash('sha256').update(password, 'utf8').digest('base64');
}

/** Hash of a password for storage (bcrypt over a SHA-256 pre-hash), off the event loop. */
export function hashPassword(password: string, cost: number): Promise<string> {
  return bcrypt.hash(preHash(password), cost);
}

export function verifyPassword(password: string, hash: string): Promise<boolean> {
  return bcrypt.compare(preHash(password), hash);
}
