import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import bcrypt from 'bcrypt';
import { normalizePassword } from '../../common/password';
import type { Client } from '../client-address/client-address';
import { HashingQueue, type PasswordKind } from './hashing-queue';

/**
 * A core is left to the redirects, and of the four threads that hash and do file work for the whole
 * process at least one is left to the files: a flood of sign-ins delays sign-ins alone.
 */
const queue = new HashingQueue(Math.min(2, Math.max(1, availableParallelism() - 1)));
/** Hashes of other services may cost many times as much: they are checked one at a time. */
const foreignQueue = new HashingQueue(1);

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
  const text = preHash(normalizePassword(password));
  return queue.run(kind, client, () => bcrypt.hash(text, cost));
}

/** The same for a bcrypt hash of another service, which has hashed the password itself. */
export function verifyPlainBcrypt(
  readings: readonly string[],
  hash: string,
  { kind, client }: HashingFor,
): Promise<boolean> {
  return foreignQueue.run(kind, client, async () => {
    for (const text of new Set(readings)) if (await bcrypt.compare(text, hash)) return true;
    return false;
  });
}

/**
 * Whether a password is that of the hash.
 *
 * @param readings the texts that the presented bytes can mean, each of which is tried normalised and
 * as it is, in which form earlier releases have hashed it
 */
export function verifyPassword(
  readings: readonly string[],
  hash: string,
  { kind, client }: HashingFor,
): Promise<boolean> {
  const texts = new Set(readings.flatMap((reading) => [normalizePassword(reading), reading]));
  return queue.run(kind, client, async () => {
    for (const text of texts) if (await bcrypt.compare(preHash(text), hash)) return true;
    return false;
  });
}
