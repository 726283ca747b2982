import { CurtailError, type LogLevelOfError } from '../../common/errors';
import { FairQueue, type QueueRefusal } from '../../processes/fair-queue';
import type { Client } from '../client-address/client-address';

/** Accounts take precedence over links. */
export type PasswordKind = 'account' | 'link';

/** Per kind: 16 s of work for accounts (250 ms each), 3 s for links (50 ms each). */
const MAX_WAITING_TASKS = 64;
const MAX_TURN_WAIT_MS = 20_000;
/** Consecutive account passwords before a waiting link password has its turn. */
const MAX_ACCOUNTS_IN_A_ROW = 3;
const HASHING_RETRY_SECONDS = 5;

/** 503: the queue is full, or the turn did not come in time. */
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

/** 503 for a client that closed its sending side and is possibly gone. */
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
