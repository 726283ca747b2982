import { isDatabaseUnreachable } from '../../common/database-fault';
import { CurtailError, DatabaseUnavailableError } from '../../common/errors';
import type { Logger } from '../../common/log';
import { Backoff, type BackoffOptions } from '../../processes/child-process/backoff';
import type { Job, JobError, JobSlots } from './job';
import { JobKind, type JobStep, JobWaiting, LeaseLostError, type RunningJob } from './job-kind';
import type { JobsMetrics } from './jobs.calls';
import type { JobsRepository } from './jobs.repository';

export interface JobTimes {
  leaseMs: number;
  renewalMs: number;
  lookMs: number;
  /** Interval for claiming jobs; jobs are also claimed when a job ends or is queued. */
  claimMs: number;
  stopMs: number;
  /** How long a cancelled job's step may continue before its next write throws. */
  cancelMs: number;
  /** Time after which a job yields to others; its step is interrupted after twice that time. */
  turnMs: Readonly<Record<JobSlots, number>>;
  retry: BackoffOptions;
}

export const JOB_TIMES: JobTimes = {
  leaseMs: 30_000,
  renewalMs: 10_000,
  lookMs: 2000,
  claimMs: 5000,
  stopMs: 3000,
  cancelMs: 10_000,
  turnMs: { account: 10_000, service: 3000 },
  retry: { firstMs: 1000, ceilingMs: 60_000, steadyMs: 0 },
};

/** A job fails after this many consecutive errors not caused by database or disk. */
const MAX_UNEXPLAINED = 10;
/** Weight of an error that will recur, so that the job fails on the second attempt. */
const DETERMINISTIC_WEIGHT = MAX_UNEXPLAINED / 2;
/** A job fails after this many claims, by any process, without progress. */
const MAX_JOB_CLAIMS = 3;
const STALLED: JobError = {
  code: 'internal_error',
  error:
    'The service stopped several times while it worked on this job, each time at the same point',
  hint: 'If the job is an import, check the file for unusually large or broken records.',
};

export interface JobRunOptions {
  jobs: JobsRepository;
  kind: JobKind;
  holder: string;
  /** Value of performance.now() before the claim was sent; the lease starts later. */
  claimedAt: number;
  turnMs: number;
  isAwaited: (job: Job) => Promise<boolean>;
  times: JobTimes;
  metrics: JobsMetrics;
  log: Logger;
}

export class JobRun {
  private readonly lost = new AbortController();
  /** Interrupts the current step at a point where no work is lost. */
  private readonly interruption = new AbortController();
  private readonly signal = AbortSignal.any([this.lost.signal, this.interruption.signal]);
  private leaseEnd: number;
  private renewed: number;
  private stopping = false;
  private cancelledAt: number | null = null;
  private isTurnOver = false;
  private wakeUp: () => void = () => undefined;

  constructor(
    private job: Job,
    private readonly options: JobRunOptions,
  ) {
    this.renewed = options.claimedAt;
    this.leaseEnd = options.claimedAt + options.times.leaseMs;
  }

  /** Whether the current step may have crashed an earlier process. */
  get isSuspect(): boolean {
    return this.job.claims > 1;
  }

  get ownerId(): string | null {
    return this.job.ownerId;
  }

  /** Never rejects: if a result cannot be stored, the next holder repeats the step. */
  async run(): Promise<void> {
    const { jobs, holder, log, times } = this.options;
    const looking = setInterval(() => void this.look(), times.lookMs);
    try {
      await this.runSteps();
    } catch (error) {
      if (error instanceof LeaseLostError) {
        // The run may still hold the job's lease, although no step is running.
        await jobs.giveBack(this.job.id, holder).catch(() => undefined);
      } else log.warn('A job was interrupted; retrying', this.facts({ error }));
    } finally {
      clearInterval(looking);
    }
  }

  stop(): void {
    this.stopping = true;
    this.wakeUp();
  }

  /** Releases the lease during a step; the step can no longer write. */
  async abandon(): Promise<void> {
    this.loseLease();
    await this.options.jobs.giveBack(this.job.id, this.options.holder);
  }

  async look(): Promise<void> {
    if (this.lost.signal.aborted) return;
    const { jobs, holder, times } = this.options;
    const requestedAt = performance.now();
    const isDue = requestedAt - this.renewed >= times.renewalMs;
    if (isDue) this.renewed = requestedAt;
    try {
      const kept = await jobs.keep(this.job.id, holder, isDue ? times.leaseMs : null);
      if (kept === null) this.loseLease();
      else if (isDue) this.leaseEnd = requestedAt + times.leaseMs;
      if (kept?.isCancelled === true) this.cancel();
      await this.lookAtTurn();
    } catch {
      // If the database is down, the lease expires unless the next poll renews it.
      if (isDue) this.renewed = -Infinity;
    }
    if (performance.now() >= this.leaseEnd) this.loseLease();
  }

  private cancel(): void {
    this.cancelledAt ??= performance.now();
    this.interrupt();
    if (performance.now() - this.cancelledAt >= this.options.times.cancelMs) this.loseLease();
  }

  private async lookAtTurn(): Promise<void> {
    const { turnMs, claimedAt, isAwaited } = this.options;
    const turns = Math.floor((performance.now() - claimedAt) / turnMs);
    if (turns < 1 || !(await isAwaited(this.job))) return;
    this.isTurnOver = true;
    if (turns >= 2) this.interrupt();
  }

  private get isEnding(): boolean {
    return this.stopping || this.isTurnOver || this.cancelledAt !== null;
  }

  private async runSteps(): Promise<void> {
    const { jobs, holder, times, metrics } = this.options;
    if (this.job.isCancelled) return jobs.giveBack(this.job.id, holder);
    if (this.job.claims >= MAX_JOB_CLAIMS) return this.fail(STALLED);
    let backoff: Backoff | undefined;
    let unexplained = 0;
    while (!this.isEnding) {
      try {
        // A failed write may still have been stored.
        if (backoff !== undefined) this.job = orLost(await jobs.findHeld(this.job.id, holder));
        const step = await this.doStep();
        this.job = orLost(await jobs.advance(this.job.id, holder, step));
        if (this.job.state === 'done') metrics.done += 1;
        if (this.job.state !== 'running') return;
        backoff = undefined;
        unexplained = 0;
      } catch (error) {
        if (this.lost.signal.aborted) throw new LeaseLostError();
        if (this.interruption.signal.aborted) break;
        if (error instanceof LeaseLostError) throw error;
        if (!isPassing(error)) unexplained += isDeterministic(error) ? DETERMINISTIC_WEIGHT : 1;
        if (await this.endsBy(error, unexplained)) return;
        backoff ??= new Backoff(times.retry);
        await this.waitForRetry(error, backoff.next(0));
      }
    }
    await jobs.giveBack(this.job.id, holder, unexplained > 0);
  }

  private async doStep(): Promise<JobStep> {
    const { kind, metrics } = this.options;
    this.checkLease();
    const begun = performance.now();
    const step = await kind.step(this.running());
    metrics.steps += 1;
    metrics.stepMs += performance.now() - begun;
    return step;
  }

  private running(): RunningJob {
    const { id, ownerId, input, cursor, done, startedAt, files } = this.job;
    let hasWritten = false;
    const checkLease = () => {
      this.checkLease();
      if (!hasWritten && this.cancelledAt !== null) throw new LeaseLostError();
      hasWritten = true;
    };
    return { id, ownerId, input, cursor, done, startedAt, files, signal: this.signal, checkLease };
  }

  private async endsBy(error: unknown, unexplained: number): Promise<boolean> {
    const { jobs, holder } = this.options;
    if (error instanceof JobWaiting) {
      await jobs.wait(this.job.id, holder, error.waitMs, error.reason);
      return true;
    }
    const isRefusal = error instanceof CurtailError && error.status < 500;
    if (!isRefusal && unexplained < MAX_UNEXPLAINED) return false;
    await this.fail(shownError(error));
    return true;
  }

  private async fail(error: JobError): Promise<void> {
    const { jobs, kind, holder, metrics } = this.options;
    metrics.failed += 1;
    await kind.beforeFailure?.(this.running(), error);
    await jobs.fail(this.job.id, holder, error);
  }

  private async waitForRetry(error: unknown, waitMs: number): Promise<void> {
    const { jobs, holder, log, metrics } = this.options;
    metrics.retries += 1;
    log.warn(`A job step failed; retrying in ${waitMs} ms`, this.facts({ err: error }));
    await jobs.noteFailure(this.job.id, holder, shownError(error)).catch(() => undefined);
    if (this.isEnding || this.lost.signal.aborted) return;
    const { signal } = this.lost;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => this.wakeUp(), waitMs);
      this.wakeUp = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', this.wakeUp);
        resolve();
      };
      signal.addEventListener('abort', this.wakeUp, { once: true });
    });
  }

  private checkLease(): void {
    if (performance.now() >= this.leaseEnd) this.loseLease();
    if (this.lost.signal.aborted) throw new LeaseLostError();
  }

  private interrupt(): void {
    this.interruption.abort(new LeaseLostError());
    this.wakeUp();
  }

  private loseLease(): void {
    this.lost.abort(new LeaseLostError());
  }

  private facts(more: object): object {
    return { job: this.job.id, kind: this.job.kind, ...more };
  }
}

function orLost(job: Job | null): Job {
  if (job === null) throw new LeaseLostError();
  return job;
}

const DISK_FAILURES = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE', 'EBUSY']);

function isOfDisk(error: unknown): boolean {
  return error instanceof Error && 'code' in error && DISK_FAILURES.has(String(error.code));
}

function isOfDatabase(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError || isDatabaseUnreachable(error);
}

/** Whether the cause is outside the job; such a step is retried without limit. */
function isPassing(error: unknown): boolean {
  return isOfDatabase(error) || isOfDisk(error);
}

/** Whether the data or the program is the cause, so that every retry would also fail. */
function isDeterministic(error: unknown): boolean {
  const isOfProgram = [RangeError, TypeError, SyntaxError, ReferenceError].some(
    (kind) => error instanceof kind,
  );
  return isOfProgram && (error as Error).cause === undefined;
}

/** Returns the failure as shown to the owner, without internal details. */
function shownError(error: unknown): JobError {
  if (error instanceof CurtailError && error.status < 500) {
    const { code, message, hint } = error;
    return { code, error: message, ...(hint !== undefined && { hint }) };
  }
  const reason = isOfDatabase(error)
    ? 'The database is unreachable'
    : isOfDisk(error)
      ? "The service's disk is full"
      : 'Something went wrong';
  return { code: 'internal_error', error: reason };
}
