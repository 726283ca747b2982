import type { JobError, JobKindName } from './job';
import type { JobAdvance } from './jobs.repository';

export interface RunningJob<Input = unknown, Cursor = unknown> {
  readonly id: string;
  readonly ownerId: string | null;
  readonly input: Input;
  readonly cursor: Cursor | null;
  readonly done: number;
  /** By the database's clock. */
  readonly startedAt: Date | null;
  readonly files: readonly string[];
  /** Aborted when the job is cancelled, must make room, or is lost to another process. */
  readonly signal: AbortSignal;
  /**
   * Call before every write: throws once the lease is lost, and before the first write of a
   * cancelled job's step. A step that has written continues, so that the figures include its
   * writes.
   */
  readonly checkLease: () => void;
}

export interface JobStep<Cursor = unknown> extends JobAdvance {
  /** Start of the next step; null when the job is done. */
  readonly cursor: Cursor | null;
}

/**
 * A kind of job, provided by a module of the jobs process. A step may run twice if the process
 * is killed before the cursor is stored: ids must derive from job and cursor, figures must
 * repeat.
 */
export abstract class JobKind<Input = unknown, Cursor = unknown> {
  abstract readonly name: JobKindName;

  /**
   * Works from the cursor on, for about a second at most.
   * @throws CurtailError with a status below 500: the input made the job fail
   * @throws JobWaiting: a remote service requests a pause
   */
  abstract step(job: RunningJob<Input, Cursor>): Promise<JobStep<Cursor>>;

  /** Runs before a final failure is stored; again if the process is killed in between. */
  beforeFailure?(job: RunningJob<Input, Cursor>, error: JobError): Promise<void>;
}

/** Thrown by a step that cannot continue yet: other jobs run meanwhile. */
export class JobWaiting extends Error {
  constructor(
    readonly waitMs: number,
    readonly reason: JobError,
  ) {
    super(reason.error);
    this.name = 'JobWaiting';
  }
}

/** The job was cancelled or lost to another process; a step must not catch it. */
export class LeaseLostError extends Error {
  constructor() {
    super('The job was cancelled or is run by another process');
    this.name = 'LeaseLostError';
  }
}
