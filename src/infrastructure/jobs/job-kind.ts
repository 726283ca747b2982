import type { JobError, JobKindName } from './job';
import type { JobAdvance } from './jobs.repository';

/** A job as its kind sees it in a step. */
export interface RunningJob<Input = unknown, Cursor = unknown> {
  readonly id: string;
  readonly ownerId: string | null;
  readonly input: Input;
  /** The cursor that the step before has returned; null in the first one. */
  readonly cursor: Cursor | null;
  readonly done: number;
  /** By the database's clock. */
  readonly startedAt: Date | null;
  readonly files: readonly string[];
  /** Aborted when the job is cancelled, has to make room, or is not this process's any more. */
  readonly signal: AbortSignal;
  /**
   * Called before every write of a step: throws once the lease is lost, and before the first write of
   * a cancelled job's step. A step that has written goes on, so that the figures include its writes.
   */
  readonly checkLease: () => void;
}

export interface JobStep<Cursor = unknown> extends JobAdvance {
  /** Where the next step begins; null when the job is done. */
  readonly cursor: Cursor | null;
}

/**
 * One kind of job, registered as a provider of a module of the jobs process. A step may be done
 * twice, when a kill comes before its cursor is stored: whatever it writes has ids that follow from
 * the job and the cursor, and a step that is repeated returns the same figures.
 */
export abstract class JobKind<Input = unknown, Cursor = unknown> {
  abstract readonly name: JobKindName;

  /**
   * Does the work from the cursor on, for about a second at most.
   *
   * @throws CurtailError of a status below 500: the job has failed by what it was given
   * @throws JobWaiting: a remote service asks for a pause
   */
  abstract step(job: RunningJob<Input, Cursor>): Promise<JobStep<Cursor>>;

  /** Runs before a failure that ends the job is stored; after a kill in between, once more. */
  beforeFailure?(job: RunningJob<Input, Cursor>, error: JobError): Promise<void>;
}

/** Thrown by a step that cannot go on yet: the job makes room for others meanwhile. */
export class JobWaiting extends Error {
  constructor(
    readonly waitMs: number,
    readonly reason: JobError,
  ) {
    super(reason.error);
    this.name = 'JobWaiting';
  }
}

/** The job was cancelled, or is not this process's any more; a step lets it pass. */
export class LeaseLostError extends Error {
  constructor() {
    super('The job was cancelled or is run by another process');
    this.name = 'LeaseLostError';
  }
}
