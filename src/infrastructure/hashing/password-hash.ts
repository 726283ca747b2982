import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import bcrypt from 'bcrypt';
import type { Client } from '../client-address/client-address';
import { HashingQueues, type PasswordKind } from './hashing-queues';

/**
 * A core is left to the redirects, and of the four threads that hash and do file work for the whole
 * process at least one is left to the files: a flood of sign-ins delays sign-ins alone.
 */
const queues = new HashingQueues(Math.min(3, Math.max(1, availableParallelism() - 1)));

/** For whom a password is hashed: decides in which queue, and whose turn it is there. */
export interface HashingFor {
  readonly kind: PasswordKind;
  readonly client: Client;
}

/** bcrypt reads 72 bytes only: a SHA-256 of the whole password, in base64, goes in instead. */
function preHash(password: string): string {
  return createHash('sha256').update(password, 'utf8').digest('base64');
}

/** Hash of a password for storage (bcrypt over a SHA-256 pre-hash), off the event loop. */
export function hashPassword(
  password: string,
  cost: number,
  { kind, client }: HashingFor,
): Promise<string> {
  return queues.run(kind, client, () => bcrypt.hash(preHash(password), cost));
}

export function verifyPassword(
  password: string,
  hash: string,
  { kind, client }: HashingFor,
): Promise<boolean> {
  return queues.run(kind, client, () => bcrypt.compare(preHash(password), hash));
}
