/** Somebody who waits for a turn, or for the result of a task. */
export interface QueueClient {
  /** Turns are fair between keys. */
  readonly key: string;
  /** Aborted when nobody waits for the result any more. */
  readonly signal?: AbortSignal;
  /** The same where it can only be asked for: looked at when the turn comes, and when room is short. */
  readonly gone?: boolean;
}

export interface QueuedTask<T> {
  /** Tasks of either lane wait apart. */
  readonly lane: 0 | 1;
  /** Equal tasks that are under way run once, for all who wait; without a key it equals no other. */
  readonly key?: string | null;
  /** Settles soon after the signal is aborted. */
  readonly run: (signal: AbortSignal) => Promise<T>;
}

/** Why a task gives no result: no room, no turn in time, too long a run, nobody left who waits. */
export type QueueRefusal = 'full' | 'late' | 'slow' | 'gone';

export interface FairQueueOptions {
  /** Tasks that run at one time. */
  readonly width: number;
  /** Tasks of lane 0 in a row after which one of lane 1 has its turn. */
  readonly maxInARow: number;
  /** How many may wait: in both lanes together where a client has a bound, else in each. */
  readonly maxWaiting: number;
  /**
   * How many of one client may. Without it a full lane makes room for a newcomer at the cost of the
   * client that has most in it, so that whoever floods the queue crowds out nobody else.
   */
  readonly maxOfClient?: number;
  /** How long a turn may take to come; where tasks have a time limit, the result. */
  readonly waitMs: number;
  /** How long a task may run before it is aborted; without it, one that has begun is left alone. */
  readonly runMs?: number;
  readonly refuse: (reason: QueueRefusal) => Error;
}

type Outcome = { result: unknown } | { error: unknown };

interface Waiter {
  readonly client: QueueClient;
  readonly end: (outcome: Outcome) => void;
  /** Takes it out of the bounds and time limits of those who wait. */
  readonly leave: () => void;
}

/** A task and all who wait for it. */
class QueueEntry {
  readonly waiters = new Set<Waiter>();
  /** The clients whose turn it waits for. */
  readonly clients = new Set<string>();
  readonly abort = new AbortController();
  started = false;
  hasWaited = false;

  constructor(readonly task: QueuedTask<unknown>) {}

  /** Whether it has waited in vain; one whose turn comes at once is run, whoever may have gone. */
  get isGone(): boolean {
    return this.hasWaited && [...this.waiters].every(({ client }) => client.gone === true);
  }

  /** Ends the waiting of all; the last one to go ends the job. */
  end(outcome: Outcome): void {
    for (const waiter of [...this.waiters]) waiter.end(outcome);
  }
}

/** The jobs of a lane by client; each client has its turn, however many the others have. */
class Lane {
  /** In the order of the turns. */
  private readonly lines = new Map<string, QueueEntry[]>();
  waiting = 0;

  add(client: string, job: QueueEntry): void {
    if (job.clients.has(client)) return;
    job.clients.add(client);
    const line = this.lines.get(client);
    if (line === undefined) this.lines.set(client, [job]);
    else line.push(job);
  }

  remove(job: QueueEntry): void {
    for (const client of job.clients) {
      const left = this.waitingJobs(client).filter((candidate) => candidate !== job);
      if (left.length > 0) this.lines.set(client, left);
      else this.lines.delete(client);
    }
    job.clients.clear();
  }

  /** Takes the next job out, past those that nobody waits for; its client goes behind all others. */
  takeNext(giveUp: (job: QueueEntry) => void): QueueEntry | null {
    for (const [client, [job]] of this.lines) {
      if (job === undefined) continue;
      if (job.isGone) {
        giveUp(job);
        return this.takeNext(giveUp);
      }
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

  waitingJobs(client: string): readonly QueueEntry[] {
    return this.lines.get(client) ?? [];
  }

  get longest(): readonly QueueEntry[] {
    return [...this.lines.values()].reduce(
      (most, own) => (own.length > most.length ? own : most),
      [],
    );
  }

  get gone(): readonly QueueEntry[] {
    return [...this.lines.values()].flat().filter(({ isGone }) => isGone);
  }
}

/**
 * Runs tasks in two lanes, in turn between clients, a few at a time. It is bounded in number and
 * time; whoever is beyond the bounds meets the error of a QueueRefusal. Nothing is run for a client
 * that has gone.
 */
export class FairQueue {
  private readonly lanes = [new Lane(), new Lane()] as const;
  private readonly shared = new Map<string, QueueEntry>();
  private readonly waitingByClient = new Map<string, number>();
  private running = 0;
  /** Tasks of lane 0 that have begun since the last one of lane 1. */
  private inARow = 0;

  constructor(private readonly options: FairQueueOptions) {}

  /** How many wait. */
  get size(): number {
    return this.lanes[0].waiting + this.lanes[1].waiting;
  }

  run<T>(client: QueueClient, task: QueuedTask<T>): Promise<T> {
    const { refuse } = this.options;
    const lane = this.lanes[task.lane];
    if (client.signal?.aborted === true) return Promise.reject(refuse('gone'));
    if (!this.hasRoom(lane, client.key)) return Promise.reject(refuse('full'));
    const job = this.jobFor(task);
    const result = this.wait(job, client) as Promise<T>;
    // A job of somebody else takes whichever turn comes first.
    if (!job.started) lane.add(client.key, job);
    this.proceed();
    job.hasWaited = true;
    return result;
  }

  private hasRoom(lane: Lane, client: string): boolean {
    const { maxWaiting, maxOfClient, refuse } = this.options;
    if (maxOfClient !== undefined) {
      const own = this.waitingByClient.get(client) ?? 0;
      return this.size < maxWaiting && own < maxOfClient;
    }
    if (lane.waiting < maxWaiting) return true;
    const { gone, longest } = lane;
    for (const job of gone) job.end({ error: refuse('gone') });
    if (gone.length > 0) return true;
    if (longest.length <= lane.waitingJobs(client).length + 1) return false;
    longest.at(-1)?.end({ error: refuse('full') });
    return true;
  }

  private jobFor(task: QueuedTask<unknown>): QueueEntry {
    const { key = null } = task;
    const known = key === null ? undefined : this.shared.get(key);
    if (known !== undefined) return known;
    const job = new QueueEntry(task);
    if (key !== null) this.shared.set(key, job);
    return job;
  }

  private wait(job: QueueEntry, client: QueueClient): Promise<unknown> {
    const { waitMs, refuse } = this.options;
    const { key, signal } = client;
    const lane = this.lanes[job.task.lane];
    lane.waiting += 1;
    this.waitingByClient.set(key, (this.waitingByClient.get(key) ?? 0) + 1);
    return new Promise((resolve, reject) => {
      const onAbort = (): void => waiter.end({ error: refuse('gone') });
      const timer = setTimeout(() => waiter.end({ error: refuse('late') }), waitMs).unref();
      signal?.addEventListener('abort', onAbort, { once: true });
      let isWaiting = true;
      const waiter: Waiter = {
        client,
        leave: () => {
          if (!isWaiting) return;
          isWaiting = false;
          clearTimeout(timer);
          lane.waiting -= 1;
          this.forgetOne(key);
        },
        end: (outcome) => {
          waiter.leave();
          signal?.removeEventListener('abort', onAbort);
          job.waiters.delete(waiter);
          if (job.waiters.size === 0) this.drop(job);
          if ('result' in outcome) resolve(outcome.result);
          else reject(asError(outcome.error));
        },
      };
      job.waiters.add(waiter);
    });
  }

  private forgetOne(client: string): void {
    const left = (this.waitingByClient.get(client) ?? 1) - 1;
    if (left === 0) this.waitingByClient.delete(client);
    else this.waitingByClient.set(client, left);
  }

  /** Nobody waits for the job any more: nobody may join it, and it is not run to its end. */
  private drop(job: QueueEntry): void {
    const { key = null, lane } = job.task;
    if (key !== null && this.shared.get(key) === job) this.shared.delete(key);
    this.lanes[lane].remove(job);
    job.abort.abort();
  }

  private proceed(): void {
    while (this.running < this.options.width) {
      const job = this.nextJob();
      if (job === null) return;
      this.inARow = job.task.lane === 0 ? this.inARow + 1 : 0;
      this.running += 1;
      job.started = true;
      void this.runJob(job);
    }
  }

  private nextJob(): QueueEntry | null {
    const isTurnOfSecond = this.inARow >= this.options.maxInARow;
    const [zero, one] = this.lanes;
    const [first, second] = isTurnOfSecond ? [one, zero] : [zero, one];
    const giveUp = (job: QueueEntry): void => job.end({ error: this.options.refuse('gone') });
    return first.takeNext(giveUp) ?? second.takeNext(giveUp);
  }

  private async runJob(job: QueueEntry): Promise<void> {
    const { runMs, refuse } = this.options;
    let timer: NodeJS.Timeout | undefined;
    if (runMs === undefined) for (const waiter of job.waiters) waiter.leave();
    else timer = setTimeout(() => job.end({ error: refuse('slow') }), runMs).unref();
    try {
      job.end({ result: await job.task.run(job.abort.signal) });
    } catch (error) {
      job.end({ error });
    } finally {
      clearTimeout(timer);
      this.running -= 1;
      this.proceed();
    }
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
