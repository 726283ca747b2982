import {
  StatisticsAbandonedError,
  StatisticsBusyError,
  StatisticsSlowError,
} from './statistics.errors';

/** Who waits for a result. Fairness is between clients; nothing is counted for one that has gone. */
export interface StatisticsClient {
  /** The account, or the address as rate limits see it. */
  readonly key: string;
  /** Aborted when nobody reads the answer any more. */
  readonly signal?: AbortSignal;
}

/** A query that is to be counted. */
export interface QueuedQuery<T> {
  /** Equal queries that are under way are counted once; null is equal to nothing. */
  readonly key: string | null;
  /** Large ones take turns with the others, so that many of them do not hold up a small one. */
  readonly large: boolean;
  /** Settles soon after the signal is aborted. */
  readonly run: (signal: AbortSignal) => Promise<T>;
}

export interface QueueLimits {
  /** Clients that wait at one time, and requests of one client. */
  readonly most: number;
  readonly mostOfClient: number;
  /** How long a client waits for a result, and how long one counting may take. */
  readonly waitMs: number;
  readonly runMs: number;
}

const LIMITS: QueueLimits = { most: 256, mostOfClient: 16, waitMs: 60_000, runMs: 45_000 };

interface Waiter {
  readonly settle: (outcome: Outcome) => void;
}

type Outcome = { answer: unknown } | { error: Error };

/** One counting and all who wait for it. */
class Job {
  readonly waiters = new Set<Waiter>();
  /** The clients whose turn it waits for. */
  readonly clients = new Set<string>();
  readonly abort = new AbortController();
  started = false;

  constructor(readonly query: QueuedQuery<unknown>) {}
}

/** Jobs by client; each client has its turn, however many the others have. */
class RoundRobin {
  private readonly lines = new Map<string, Job[]>();

  add(client: string, job: Job): void {
    if (job.clients.has(client)) return;
    job.clients.add(client);
    const line = this.lines.get(client);
    if (line === undefined) this.lines.set(client, [job]);
    else line.push(job);
  }

  remove(job: Job): void {
    for (const client of job.clients) {
      const left = this.lines.get(client)?.filter((other) => other !== job) ?? [];
      if (left.length > 0) this.lines.set(client, left);
      else this.lines.delete(client);
    }
    job.clients.clear();
  }

  /** Takes the next job out; its client goes behind all others. */
  next(): Job | null {
    for (const [client, line] of this.lines) {
      const [job] = line;
      if (job === undefined) continue;
      this.remove(job);
      const left = this.lines.get(client);
      if (left !== undefined) {
        this.lines.delete(client);
        this.lines.set(client, left);
      }
      return job;
    }
    return null;
  }
}

/**
 * Brings queries to the one thread that counts: one at a time, in turn between clients, equal
 * ones once. Bounded in number and time; what is beyond is StatisticsBusyError.
 */
export class QueryQueue {
  private readonly small = new RoundRobin();
  private readonly large = new RoundRobin();
  private readonly jobs = new Map<string, Job>();
  private readonly waitingByClient = new Map<string, number>();
  private waiting = 0;
  private running: Job | null = null;
  private largeIsNext = false;

  constructor(private readonly limits: QueueLimits = LIMITS) {}

  /** How many wait. */
  get size(): number {
    return this.waiting;
  }

  add<T>(client: StatisticsClient, query: QueuedQuery<T>): Promise<T> {
    const own = this.waitingByClient.get(client.key) ?? 0;
    const full = this.waiting >= this.limits.most || own >= this.limits.mostOfClient;
    if (client.signal?.aborted === true) return Promise.reject(new StatisticsAbandonedError());
    if (full) return Promise.reject(new StatisticsBusyError());
    const job = this.jobOf(query);
    const answer = this.wait(job, client) as Promise<T>;
    // A job of somebody else takes whichever turn comes first.
    if (!job.started) this.lineOf(job).add(client.key, job);
    this.proceed();
    return answer;
  }

  private jobOf(query: QueuedQuery<unknown>): Job {
    const { key } = query;
    const known = key === null ? undefined : this.jobs.get(key);
    if (known !== undefined) return known;
    const job = new Job(query);
    if (key !== null) this.jobs.set(key, job);
    return job;
  }

  private wait(job: Job, client: StatisticsClient): Promise<unknown> {
    const { key, signal } = client;
    this.waiting += 1;
    this.waitingByClient.set(key, (this.waitingByClient.get(key) ?? 0) + 1);
    return new Promise((resolve, reject) => {
      const late = (): void => waiter.settle({ error: new StatisticsBusyError() });
      const leave = (): void => waiter.settle({ error: new StatisticsAbandonedError() });
      const timer = setTimeout(late, this.limits.waitMs).unref();
      signal?.addEventListener('abort', leave, { once: true });
      const waiter: Waiter = {
        settle: (outcome) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', leave);
          job.waiters.delete(waiter);
          this.forget(key);
          if (job.waiters.size === 0) this.drop(job);
          if ('error' in outcome) reject(outcome.error);
          else resolve(outcome.answer);
        },
      };
      job.waiters.add(waiter);
    });
  }

  private lineOf({ query }: Job): RoundRobin {
    return query.large ? this.large : this.small;
  }

  private forget(clientKey: string): void {
    this.waiting -= 1;
    const left = (this.waitingByClient.get(clientKey) ?? 1) - 1;
    if (left === 0) this.waitingByClient.delete(clientKey);
    else this.waitingByClient.set(clientKey, left);
  }

  /** Nobody waits for the job any more: nobody may join it, and it is not counted to its end. */
  private drop(job: Job): void {
    const { key } = job.query;
    if (key !== null && this.jobs.get(key) === job) this.jobs.delete(key);
    this.lineOf(job).remove(job);
    job.abort.abort();
  }

  /** Starts the next job when none is running; small and large ones take turns. */
  private proceed(): void {
    if (this.running !== null) return;
    const [first, second] = this.largeIsNext ? [this.large, this.small] : [this.small, this.large];
    const job = first.next() ?? second.next();
    if (job === null) return;
    this.largeIsNext = !job.query.large;
    this.running = job;
    job.started = true;
    void this.run(job);
  }

  private async run(job: Job): Promise<void> {
    const { signal } = job.abort;
    const timer = setTimeout(() => {
      settleAll(job, { error: new StatisticsSlowError() });
    }, this.limits.runMs).unref();
    try {
      settleAll(job, { answer: await job.query.run(signal) });
    } catch (error) {
      settleAll(job, { error: error instanceof Error ? error : new Error(String(error)) });
    } finally {
      clearTimeout(timer);
      this.running = null;
      this.proceed();
    }
  }
}

/** The last one to go ends the job. */
function settleAll({ waiters }: Job, outcome: Outcome): void {
  for (const waiter of [...waiters]) waiter.settle(outcome);
}
