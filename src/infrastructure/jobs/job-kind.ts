import type { JobError, JobKindName } from './job';
import type { JobAdvance } from './job-updates';

export interface RunningJob<Input = unknown, Cursor = unknown> {
  readonly id: string;
  readonly ownerId: string | null;
  readonly input: Input;
  readonly cursor: Cursor | null;
  readonly done: number;
  /** Time according to the database's clock. */
  readonly startedAt: Date | null;
  readonly files: readonly string[];
  /** Aborted if the job is cancelled, must yield to another job, or is lost to another process. */
  readonly signal: AbortSignal;
  /**
   * Call before every write. Throws if the lease is lost, or if the job was cancelled before the
   * step's first write. After its first write, a cancelled job's step continues, so that the
   * job's figures include all of its writes.
   */
  readonly checkLease: () => void;
}

export interface JobStep<Cursor = unknown> extends JobAdvance {
  /** Where the next step starts; null if the job is done. */
  readonly cursor: Cursor | null;
}

/**
 * A kind of job, provided by a module of the jobs process. A step may run twice if the process is
 * killed before the new cursor is stored. Steps must therefore derive ids from job and cursor,
 * and return the same figures again.
 */
export abstract class JobKind<Input = unknown, Cursor = unknown> {
  abstract readonly name: JobKindName;

  /**
   * Continues at the cursor for at most about a second.
   * @throws CurtailError with a status below 500 if the input is at fault; the job then fails
   * @throws JobWaiting if a remote service requests a pause
   */
  abstract step(job: RunningJob<Input, Cursor>): Promise<JobStep<Cursor>>;

  /** Runs before a final failure is stored, and again if the process is killed before that. */
  beforeFailure?(job: RunningJob<Input, Cursor>, error: JobError): Promise<void>;
}

/** Thrown by a step that must wait; other jobs run in the meantime. */
export class JobWaiting extends Error {
  constructor(
    readonly waitMs: number,
    readonly reason: JobError,
  ) {
    super(reason.error);
    this.name = 'JobWaiting';
  }
}

/** The job was cancelled or claimed by another process. A step must not catch this error. */
export class LeaseLostError extends Error {
  constructor() {
    super('The job was cancelled or is run by another process');
    this.name = 'LeaseLostError';
  }
}
