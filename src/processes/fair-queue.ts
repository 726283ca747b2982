export interface QueueClient {
  /** Clients with different keys take turns. */
  readonly key: string;
  /** Aborted when the client no longer waits. */
  readonly signal?: AbortSignal;
  /** Alternative to `signal`, polled before the task runs and when the queue is full. */
  readonly gone?: boolean;
}

export interface QueuedTask<T> {
  readonly lane: 0 | 1;
  /** Concurrent tasks with equal keys run once and share the result. No key means unique. */
  readonly key?: string | null;
  /** Must settle soon after the signal is aborted. */
  readonly run: (signal: AbortSignal) => Promise<T>;
  /**
   * Called at the time limit. If it returns true, the task continues while no other task waits. Its
   * waiters are rejected in any case. Later requests with the same key join the running task.
   */
  readonly mayContinue?: () => boolean;
}

/** The queue is full, the wait or the run timed out, or all clients have left. */
export type QueueRefusal = 'full' | 'late' | 'slow' | 'gone';

export interface FairQueueOptions {
  readonly width: number;
  /** Maximum number of tasks in lane 0 in a row while lane 1 waits. */
  readonly maxInARow: number;
  /** Limit on waiting tasks: for both lanes if `maxOfClient` is set, otherwise per lane. */
  readonly maxWaiting: number;
  /** Limit per client. If absent, a full lane evicts a task from the client with the most tasks. */
  readonly maxOfClient?: number;
  /** Maximum wait until a task runs; if tasks have a time limit, until the result. */
  readonly waitMs: number;
  /** Time limit for a running task; none if absent. */
  readonly runMs?: number;
  readonly refuse: (reason: QueueRefusal) => Error;
}

type Outcome = { result: unknown } | { error: unknown };

interface Waiter {
  readonly client: QueueClient;
  readonly end: (outcome: Outcome) => void;
  /** Removes the waiter from limits and timeouts. */
  readonly leave: () => void;
}

/** A task and all its waiters. */
class QueueEntry {
  readonly waiters = new Set<Waiter>();
  /** Clients in whose queues the task waits. */
  readonly clients = new Set<string>();
  readonly abort = new AbortController();
  started = false;
  hasWaited = false;
  /** Whether the task has reached its time limit but continues because no other task waits. */
  isOverdue = false;

  constructor(readonly task: QueuedTask<unknown>) {}

  /** Whether all clients left while the task waited. Tasks that start immediately always run. */
  get isGone(): boolean {
    return this.hasWaited && [...this.waiters].every(({ client }) => client.gone === true);
  }

  end(outcome: Outcome): void {
    for (const waiter of [...this.waiters]) waiter.end(outcome);
  }
}

/** A lane's jobs by client. Clients take turns, no matter how many jobs they have. */
class Lane {
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

  /** Takes the next job that is not abandoned, and moves its client to the end. */
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

/** Alternates between clients, limits task number and time, and skips abandoned tasks. */
export class FairQueue {
  private readonly lanes = [new Lane(), new Lane()] as const;
  private readonly shared = new Map<string, QueueEntry>();
  private readonly waitingByClient = new Map<string, number>();
  private readonly running = new Set<QueueEntry>();
  /** Number of tasks in lane 0 started since the last task in lane 1. */
  private inARow = 0;

  constructor(private readonly options: FairQueueOptions) {}

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
    // A shared job runs when the first of its clients has its turn.
    if (!job.started) {
      lane.add(client.key, job);
      this.endOverdue();
    }
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
      const timer = setTimeout(() => this.endWait(job, waiter), waitMs).unref();
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

  /** A running task whose last waiter leaves has reached its own time limit. */
  private endWait(job: QueueEntry, waiter: Waiter): void {
    const { refuse } = this.options;
    if (job.started && job.waiters.size === 1) this.endTime(job);
    else waiter.end({ error: refuse(job.started ? 'slow' : 'late') });
  }

  private forgetOne(client: string): void {
    const left = (this.waitingByClient.get(client) ?? 1) - 1;
    if (left === 0) this.waitingByClient.delete(client);
    else this.waitingByClient.set(client, left);
  }

  /** Aborts an abandoned job and prevents new clients from joining it. */
  private drop(job: QueueEntry): void {
    if (job.isOverdue) return;
    const { key = null, lane } = job.task;
    if (key !== null && this.shared.get(key) === job) this.shared.delete(key);
    this.lanes[lane].remove(job);
    job.abort.abort();
  }

  private proceed(): void {
    while (this.running.size < this.options.width) {
      const job = this.nextJob();
      if (job === null) return;
      this.inARow = job.task.lane === 0 ? this.inARow + 1 : 0;
      this.running.add(job);
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
    const { runMs } = this.options;
    let timer: NodeJS.Timeout | undefined;
    if (runMs === undefined) for (const waiter of job.waiters) waiter.leave();
    else timer = setInterval(() => this.endTime(job), runMs).unref();
    try {
      job.end({ result: await job.task.run(job.abort.signal) });
    } catch (error) {
      job.end({ error });
    } finally {
      clearInterval(timer);
      this.running.delete(job);
      this.abort(job);
      this.proceed();
    }
  }

  private endTime(job: QueueEntry): void {
    const isAlone = this.size === job.waiters.size;
    job.isOverdue = isAlone && job.task.mayContinue?.() === true;
    job.end({ error: this.options.refuse('slow') });
    if (!job.isOverdue) this.drop(job);
  }

  /** Aborts tasks that continue without waiters, because another task waits. */
  private endOverdue(): void {
    for (const job of this.running) {
      if (job.isOverdue && job.waiters.size === 0) this.abort(job);
    }
  }

  private abort(job: QueueEntry): void {
    job.isOverdue = false;
    this.drop(job);
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
