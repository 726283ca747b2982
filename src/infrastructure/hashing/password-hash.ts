import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import bcrypt from 'bcrypt';
import { normalizePassword } from '../../common/password';
import type { Client } from '../client-address/client-address';
import { CurtailError } from '../../common/errors';
import { type QueueRefusal, FairQueue } from '../../processes/fair-queue';
import { HashingOverloadedError, ClientGoneError } from './hashing.errors';

/** Account passwords have priority over link passwords. */
export type PasswordKind = 'account' | 'link';
/** Maximum waiting tasks per kind: 16 s of work for accounts, 3 s for links. */
const MAX_WAITING_TASKS = 64;
const MAX_TURN_WAIT_MS = 20000;
/** Number of account passwords after which a waiting link password is processed. */
const MAX_ACCOUNTS_IN_A_ROW = 3;
const HASHING_REFUSALS: Readonly<Record<QueueRefusal, () => CurtailError>> = {
  full: () => new HashingOverloadedError(),
  late: () => new HashingOverloadedError(),
  slow: () => new HashingOverloadedError(),
  gone: () => new ClientGoneError(),
};
/** Runs up to `width` tasks concurrently; clients take turns within each kind of password. */
export class HashingQueue {
  private readonly queue: FairQueue;

  constructor(width: number) {
    this.queue = new FairQueue({
      width,
      maxInARow: MAX_ACCOUNTS_IN_A_ROW,
      maxWaiting: MAX_WAITING_TASKS,
      waitMs: MAX_TURN_WAIT_MS,
      refuse: (reason) => HASHING_REFUSALS[reason](),
    });
  }

  /** @throws HashingOverloadedError or ClientGoneError if the task cannot run */
  run<T>(kind: PasswordKind, client: Client, task: () => Promise<T>): Promise<T> {
    return this.queue.run(client, { lane: kind === 'account' ? 0 : 1, run: task });
  }
}

/**
 * Leaves a core for redirects, and at least one of the four pool threads for file access, so that
 * a flood of sign-ins delays only sign-ins.
 */
const queue = new HashingQueue(Math.min(2, Math.max(1, availableParallelism() - 1)));
/** Other services' hashes may be much slower to check, so they are checked one by one. */
const foreignQueue = new HashingQueue(1);

export interface HashingFor {
  readonly kind: PasswordKind;
  readonly client: Client;
}

/** Hashes the password first, because bcrypt reads only 72 bytes. */
function preHash(password: string): string {
  return createHash('sha256').update(password, 'utf8').digest('base64');
}

export function hashPassword(
  password: string,
  cost: number,
  { kind, client }: HashingFor,
): Promise<string> {
  const text = preHash(normalizePassword(password));
  return queue.run(kind, client, () => bcrypt.hash(text, cost));
}

/** Verifies bcrypt hashes from other services, which hash the password directly. */
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

/** @param readings possible decodings; each is tried normalised and, for old hashes, unchanged */
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
