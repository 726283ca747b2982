import { CurtailError, type LogLevelOfError } from '../../common/errors';
import { FairQueue, type QueueRefusal } from '../../processes/fair-queue';
import type { Client } from '../client-address/client-address';

/** Owner of a password: accounts have precedence over links. */
export type PasswordKind = 'account' | 'link';

/** Waiting tasks of a kind. At 250 ms an account's and 50 ms a link's this is 16 s and 3 s of work. */
const MAX_WAITING_TASKS = 64;
/** Longer than that nobody waits for a turn. */
const MAX_TURN_WAIT_MS = 20_000;
/** Account passwords in a row after which a link password that waits has its turn. */
const MAX_ACCOUNTS_IN_A_ROW = 3;
const HASHING_RETRY_SECONDS = 5;

/** 503: more passwords are to be hashed than the queue holds, or the turn did not come in time. */
export class HashingOverloadedError extends CurtailError {
  constructor() {
    super(503, 'internal_error', 'Too many passwords are being checked, try again shortly', {
      headers: { 'Retry-After': String(HASHING_RETRY_SECONDS) },
    });
  }

  /** A flood must not fill the log as well. */
  override get logLevel(): LogLevelOfError {
    return 'debug';
  }
}

/** 503, for a client that has closed its side alone: nobody may be there any more to read the answer. */
export class ClientGoneError extends CurtailError {
  constructor() {
    super(503, 'internal_error', 'The connection was closed before the password was checked', {
      headers: { 'Retry-After': String(HASHING_RETRY_SECONDS) },
    });
  }

  override get logLevel(): LogLevelOfError {
    return 'debug';
  }
}

const HASHING_REFUSALS: Readonly<Record<QueueRefusal, () => CurtailError>> = {
  full: () => new HashingOverloadedError(),
  late: () => new HashingOverloadedError(),
  slow: () => new HashingOverloadedError(),
  gone: () => new ClientGoneError(),
};

/**
 * Lets at most `width` passwords be hashed at once. Account and link passwords wait apart, each
 * kind in turn between clients: one with forty waiting tasks delays another one's by a single task.
 */
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

  /** Runs the task in its turn; HashingOverloadedError or ClientGoneError where it gets none. */
  run<T>(kind: PasswordKind, client: Client, task: () => Promise<T>): Promise<T> {
    return this.queue.run(client, { lane: kind === 'account' ? 0 : 1, run: task });
  }
}
