/** Unit of a kind of job, and who may see and cancel a job of it. */
interface JobKindRow {
  readonly unit: 'rows' | 'links';
  /**
   * Its audience: an account's, seen by its sessions alone or also by keys with the scope of the
   * route that began it, or the service's own, which nobody asks for.
   */
  readonly access: 'urls:manage' | 'sessions' | 'service';
  readonly cancellable: boolean;
  readonly slots: JobSlots;
}

/** Jobs of accounts and the service's own jobs run in slots of their own. */
export type JobSlots = 'account' | 'service';

/** Every kind of job (docs/contract.md#17.2); what one does is registered in the jobs process. */
export const JOB_KINDS = {
  import: { unit: 'rows', access: 'urls:manage', cancellable: true, slots: 'account' },
  account_export: { unit: 'links', access: 'sessions', cancellable: true, slots: 'account' },
  account_deletion: { unit: 'links', access: 'sessions', cancellable: false, slots: 'service' },
  block_list: { unit: 'links', access: 'service', cancellable: true, slots: 'service' },
  backfill: { unit: 'links', access: 'service', cancellable: true, slots: 'service' },
} as const satisfies Record<string, JobKindRow>;

export type JobKindName = keyof typeof JOB_KINDS;

export const JOB_KIND_NAMES = Object.keys(JOB_KINDS) as JobKindName[];

export const UNFINISHED = ['queued', 'running', 'waiting'] as const;
export const JOB_STATES = [...UNFINISHED, 'done', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** The last failure of a job, as the API shows it. */
export interface JobError {
  readonly code: string;
  readonly error: string;
  readonly hint?: string;
}

export interface Job {
  readonly id: string;
  readonly kind: JobKindName;
  /** Null: the service's own. */
  readonly ownerId: string | null;
  readonly state: JobState;
  /** Its parameters, in a form of its kind's own. */
  readonly input: unknown;
  /** How far it is; null before the first step has ended. */
  readonly cursor: unknown;
  readonly done: number;
  readonly total: number | null;
  readonly counts: Readonly<Record<string, number>>;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly error: JobError | null;
  /** When a waiting job goes on; null unless it waits. */
  readonly waitsUntil: Date | null;
  /** The files that it works on, which lie on the machine `node`. */
  readonly files: readonly string[];
  readonly node: string | null;
  /** How often it was claimed since its cursor moved. */
  readonly claims: number;
  /** Its holder ends it after the step in hand. */
  readonly isCancelled: boolean;
}

export function isUnfinished({ state }: Pick<Job, 'state'>): boolean {
  return UNFINISHED.some((each) => each === state);
}

/** A job to be begun. */
export interface NewJob {
  /** A fresh one without it. */
  readonly id?: string;
  readonly kind: JobKindName;
  readonly ownerId: string | null;
  readonly input: unknown;
  readonly total?: number | null;
  /** The machine that alone may run it, because its files lie there. */
  readonly node?: string | null;
  readonly files?: readonly string[];
}
