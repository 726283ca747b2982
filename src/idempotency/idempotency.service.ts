import { hkdfSync, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { TokenOptions } from '../config/options';
import { newObjectId } from '../infrastructure/mongo/object-ids';
import { SealedValues } from '../infrastructure/sealed-values/sealed-values';
import { isSameProcessAlive, ownProcessIdentity } from '../processes/process-identity';
import { Attempt } from './attempt';
import {
  AnswerUnreadableError,
  KeyOfOtherBodyError,
  StillRunningError,
} from './idempotency.errors';
import {
  IdempotencyRepository,
  type KeptAnswer,
  type KeptRequest,
  ATTEMPT_LEASE_MS,
} from './idempotency.repository';
import type { HolderProcess } from './idempotency.schema';

const MAX_ANSWER_WAIT_MS = 10_000;
/** Poll interval, shared by all waiters for the same key. */
const ANSWER_POLL_MS = 50;
const MAX_WAITING_REQUESTS = 1000;
/** Maximum stored response size, enough for 1,000 rows or 100 large links. */
const MAX_KEPT_ANSWER_BYTES = 4 * 1_048_576;
const SEALING = 'idempotent answer';

export interface KeyedRequest {
  readonly id: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly accountId: string | null;
  readonly items: number;
  /** Whether the client has disconnected. */
  readonly isGone: () => boolean;
}

export interface SentAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A running attempt, which holds the request until one of these methods is called. */
export interface RunningTry {
  readonly attempt: Attempt;
  /** Stores the final response. Returns false if another attempt took over. */
  readonly finish: (answer: SentAnswer, isSecret: boolean) => Promise<boolean>;
  readonly release: (rows: readonly unknown[] | null) => Promise<void>;
  readonly forget: () => Promise<void>;
}

/** Running attempts in this process, of all instances of this class. */
const holders = new Set<string>();

/** Completes each request with a key once, in one process at a time. */
@Injectable()
export class IdempotencyService {
  private readonly process: HolderProcess = { host: hostname(), ...ownProcessIdentity() };
  private readonly looks = new Map<string, Promise<KeptRequest | null>>();
  private waiting = 0;

  constructor(
    private readonly repository: IdempotencyRepository,
    private readonly tokens: TokenOptions,
  ) {}

  /** @throws KeyOfOtherBodyError, StillRunningError, AnswerUnreadableError */
  async begin(request: KeyedRequest): Promise<RunningTry | SentAnswer> {
    const holder = randomBytes(12).toString('hex');
    // Added before the claim, so that no caller mistakes this attempt for an ended one.
    holders.add(holder);
    let isHolder = false;
    try {
      let found = await this.claim(request, holder, null);
      if (isOpen(found, request, holder)) found = await this.wait(request, holder, found);
      if (found.fingerprint !== request.fingerprint) throw new KeyOfOtherBodyError();
      if (found.answer !== null) return this.sentAnswer(request, found.answer);
      isHolder = true;
      return this.beginTry(request, holder, found);
    } finally {
      if (!isHolder) holders.delete(holder);
    }
  }

  private async wait(
    request: KeyedRequest,
    holder: string,
    running: KeptRequest,
  ): Promise<KeptRequest> {
    const deadline = performance.now() + MAX_ANSWER_WAIT_MS;
    if (this.waiting >= MAX_WAITING_REQUESTS) throw new StillRunningError();
    this.waiting += 1;
    try {
      let found: KeptRequest | null = running;
      for (;;) {
        if (found === null || this.isFree(found)) found = await this.claim(request, holder, found);
        if (!isOpen(found, request, holder)) return found;
        if (performance.now() >= deadline || request.isGone()) throw new StillRunningError();
        found = await this.look(request.id);
      }
    } finally {
      this.waiting -= 1;
    }
  }

  private claim(
    { id, fingerprint, accountId, items }: KeyedRequest,
    holder: string,
    found: KeptRequest | null,
  ): Promise<KeptRequest> {
    return this.repository.claim({
      id,
      fingerprint,
      accountId,
      holder,
      process: this.process,
      ids: Array.from({ length: items }, newObjectId),
      endedHolder: found !== null && this.hasEnded(found) ? found.holder : null,
    });
  }

  private look(id: string): Promise<KeptRequest | null> {
    const under = this.looks.get(id);
    if (under !== undefined) return under;
    const look = sleep(ANSWER_POLL_MS)
      .then(() => this.repository.find(id))
      .finally(() => this.looks.delete(id));
    this.looks.set(id, look);
    return look;
  }

  /** Whether a claim may succeed. The database decides based on its own clock. */
  private isFree(found: KeptRequest): boolean {
    return (
      found.holder === null || found.leaseUntil.getTime() <= Date.now() || this.hasEnded(found)
    );
  }

  /** Whether the holder is a dead process on this host or an ended attempt in this process. */
  private hasEnded({ holder, process }: KeptRequest): boolean {
    if (holder === null || process.host !== this.process.host) return false;
    const isOwn = process.pid === this.process.pid && process.startTime === this.process.startTime;
    return isOwn ? !holders.has(holder) : !isSameProcessAlive(process);
  }

  private beginTry(
    { id, key }: KeyedRequest,
    holder: string,
    { ids, isRepeated, rows, targets }: KeptRequest,
  ): RunningTry {
    const { repository } = this;
    const renewal = setInterval(() => {
      // If the database is unreachable, the lease expires.
      repository.renew(id, holder).catch(() => undefined);
    }, ATTEMPT_LEASE_MS / 3);
    renewal.unref();
    const end = async <T>(write: Promise<T>): Promise<T> => {
      try {
        return await write;
      } finally {
        clearInterval(renewal);
        holders.delete(holder);
      }
    };
    return {
      attempt: new Attempt({
        ids,
        isRepeated,
        rows,
        targets,
        keepTargets: async (found) => {
          if (!(await repository.keepTargets(id, holder, found))) throw new StillRunningError();
        },
        secret: () => this.tokenSecret(key, ids),
      }),
      finish: (answer, isSecret) => end(this.finish({ id, key }, holder, answer, isSecret)),
      release: (done) => end(repository.release(id, holder, done)),
      forget: () => end(repository.remove(id, holder)),
    };
  }

  private async finish(
    { id, key }: Pick<KeyedRequest, 'id' | 'key'>,
    holder: string,
    { status, headers, body }: SentAnswer,
    sealed: boolean,
  ): Promise<boolean> {
    const bytes = sealed ? this.sealing(key).seal(SEALING, id, body) : Buffer.from(body);
    if (bytes.length > MAX_KEPT_ANSWER_BYTES) throw new Error('The response is too large to store');
    return this.repository.finish(id, holder, { status, headers, body: bytes, sealed });
  }

  private sentAnswer({ id, key }: KeyedRequest, answer: KeptAnswer): SentAnswer {
    const { status, headers, body, sealed } = answer;
    const text = sealed ? this.sealing(key).open(SEALING, id, body) : body.toString();
    if (text === null) throw new AnswerUnreadableError();
    return { status, headers, body: text };
  }

  private sealing(key: string): SealedValues {
    return new SealedValues({ secret: this.sealingSecret(key) });
  }

  /** The ids make the secret different if a client reuses the key after a day. */
  private tokenSecret(key: string, ids: readonly string[]): Buffer {
    return Buffer.from(
      hkdfSync('sha256', this.sealingSecret(key), ids.join(), 'curtail token', 32),
    );
  }

  /** Contains a secret that is not in the database, so that guessing the key is not enough. */
  private sealingSecret(key: string): string {
    return `${this.tokens.secret}\n${key}`;
  }
}

function isOpen(found: KeptRequest, { fingerprint }: KeyedRequest, holder: string): boolean {
  return found.fingerprint === fingerprint && found.answer === null && found.holder !== holder;
}
