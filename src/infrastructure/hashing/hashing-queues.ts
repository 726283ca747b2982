import { CurtailError, type LogLevelOfError } from '../../common/errors';
import type { Client } from '../client-address/client-address';

/** Owner of a password: accounts have precedence over links. */
export type PasswordKind = 'account' | 'link';

/** Waiting tasks of a kind. At 250 ms an account's and 50 ms a link's this is 16 s and 3 s of work. */
const MAX_WAITING_TASKS = 64;
/** Longer than that nobody waits for a turn. */
const MAX_TURN_WAIT_MS = 20_000;
/** Account passwords in a row after which a link password that waits has its turn. */
const ACCOUNTS_IN_A_ROW = 3;
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

interface WaitingTask {
  readonly client: Client;
  readonly begin: () => void;
  readonly refuse: (error: CurtailError) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Lets at most `width` passwords be hashed at once. Account and link passwords wait apart, each
 * kind in a bounded queue whose clients take turns: a client with forty waiting tasks delays
 * another one's by a single task. Passwords of a client that has hung up are not hashed.
 */
export class HashingQueues {
  private readonly queues: Record<PasswordKind, ClientQueue> = {
    account: new ClientQueue(),
    link: new ClientQueue(),
  };
  private running = 0;
  private accountsInARow = 0;

  constructor(private readonly width: number) {}

  /** Runs the task in its turn; HashingOverloadedError or ClientGoneError where it gets none. */
  async run<T>(kind: PasswordKind, client: Client, task: () => Promise<T>): Promise<T> {
    if (this.running < this.width) this.running++;
    // A task that ends hands its slot on, so that none slips in between.
    else await this.queues[kind].wait(client);
    try {
      return await task();
    } finally {
      this.handOn();
    }
  }

  private handOn(): void {
    const { account, link } = this.queues;
    const linksTurn = this.accountsInARow >= ACCOUNTS_IN_A_ROW;
    const [first, second] = linksTurn ? [link, account] : [account, link];
    const queue = first.next() ? first : second.next() ? second : null;
    if (queue === null) this.running--;
    this.accountsInARow = queue === account ? this.accountsInARow + 1 : 0;
  }
}

/** Waiters of one kind, served in rounds: of each client the oldest one. */
class ClientQueue {
  /** In the order of the round; a client is in it as long as it has waiters. */
  private readonly round = new Map<string, WaitingTask[]>();
  private size = 0;

  /** Resolves when it is this client's turn. */
  wait(client: Client): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.size >= MAX_WAITING_TASKS && !this.makeRoomFor(client)) {
        reject(new HashingOverloadedError());
        return;
      }
      const waiter: WaitingTask = {
        client,
        begin: resolve,
        refuse: reject,
        timer: setTimeout(() => this.drop(waiter, new HashingOverloadedError()), MAX_TURN_WAIT_MS),
      };
      waiter.timer.unref();
      const others = this.round.get(client.key);
      if (others === undefined) this.round.set(client.key, [waiter]);
      else others.push(waiter);
      this.size++;
    });
  }

  /** Lets the next waiter begin whose client is still there; false when there is none. */
  next(): boolean {
    for (const [key, [waiter]] of this.round) {
      if (waiter === undefined) continue;
      this.remove(waiter);
      if (waiter.client.gone) {
        waiter.refuse(new ClientGoneError());
        // The same client may have others, over connections that are open.
        return this.next();
      }
      const rest = this.round.get(key);
      if (rest !== undefined) {
        this.round.delete(key);
        this.round.set(key, rest);
      }
      waiter.begin();
      return true;
    }
    return false;
  }

  /**
   * Makes room in a full queue: by those who have hung up, else by the newest waiter of the client
   * that has the most. That client is refused itself when it asks for one more, so whoever floods
   * the queue crowds out nobody else.
   */
  private makeRoomFor(client: Client): boolean {
    const waiters = [...this.round.values()];
    const gone = waiters.flat().filter((waiter) => waiter.client.gone);
    for (const waiter of gone) this.drop(waiter, new ClientGoneError());
    if (gone.length > 0) return true;
    const longest = waiters.reduce((most, own) => (own.length > most.length ? own : most), []);
    const own = this.round.get(client.key)?.length ?? 0;
    const newest = longest.at(-1);
    if (newest === undefined || longest.length <= own + 1) return false;
    this.drop(newest, new HashingOverloadedError());
    return true;
  }

  private drop(waiter: WaitingTask, error: CurtailError): void {
    this.remove(waiter);
    waiter.refuse(error);
  }

  private remove(waiter: WaitingTask): void {
    clearTimeout(waiter.timer);
    const { key } = waiter.client;
    const own = this.round.get(key) ?? [];
    own.splice(own.indexOf(waiter), 1);
    if (own.length === 0) this.round.delete(key);
    this.size--;
  }
}
