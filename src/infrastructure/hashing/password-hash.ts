import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import bcrypt from 'bcrypt';
import { normalizePassword } from '../../common/password';
import type { Client } from '../client-address/client-address';
import { CurtailError } from '../../common/errors';
import { type QueueRefusal, FairQueue } from '../../processes/fair-queue';
import { HashingOverloadedError, ClientGoneError } from './hashing.errors';

/** Accounts take precedence over links. */
export type PasswordKind = 'account' | 'link';
/** Per kind: 16 s of work for accounts (250 ms each), 3 s for links (50 ms each). */
const MAX_WAITING_TASKS = 64;
const MAX_TURN_WAIT_MS = 20000;
/** Consecutive account passwords before a waiting link password has its turn. */
const MAX_ACCOUNTS_IN_A_ROW = 3;
const HASHING_REFUSALS: Readonly<Record<QueueRefusal, () => CurtailError>> = {
  full: () => new HashingOverloadedError(),
  late: () => new HashingOverloadedError(),
  slow: () => new HashingOverloadedError(),
  gone: () => new ClientGoneError(),
};
/** Limits concurrent hashing to `width`; within a kind, clients take turns. */
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

  /** @throws HashingOverloadedError or ClientGoneError if the task gets no turn */
  run<T>(kind: PasswordKind, client: Client, task: () => Promise<T>): Promise<T> {
    return this.queue.run(client, { lane: kind === 'account' ? 0 : 1, run: task });
  }
}

/**
 * Leaves a core to redirects and at least one of the four pool threads to file work, so that a
 * flood of sign-ins delays only sign-ins.
 */
const queue = new HashingQueue(Math.min(2, Math.max(1, availableParallelism() - 1)));
/** Hashes from other services may cost far more, so they are checked one at a time. */
const foreignQueue = new HashingQueue(1);

export interface HashingFor {
  readonly kind: PasswordKind;
  readonly client: Client;
}

/** bcrypt reads only 72 bytes, so it gets the base64 SHA-256 of the password. */
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

/** For bcrypt hashes from other services, which have no pre-hash. */
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

/** @param readings possible decodings, tried normalised and, for older hashes, unchanged */
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
