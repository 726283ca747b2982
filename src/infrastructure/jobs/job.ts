import { DAY_MS, HOUR_MS } from '../../common/time';

interface JobKindRow {
  readonly unit: 'rows' | 'links';
  /** `urls:manage`: visible to sessions and keys with this scope; `service`: to no caller. */
  readonly access: 'urls:manage' | 'sessions' | 'service';
  readonly cancellable: boolean;
  readonly slots: JobSlots;
}

const ENDED_JOB_MS = 30 * DAY_MS;
export const EXPORT_KEPT_MS = 72 * HOUR_MS;

/** How long an ended job is kept. */
export function keptMs(kind: JobKindName): number {
  return kind === 'account_export' ? EXPORT_KEPT_MS : ENDED_JOB_MS;
}

export type JobSlots = 'account' | 'service';

/** All kinds of jobs (docs/contract.md#17.2); the jobs process contains their code. */
export const JOB_KINDS = {
  import: { unit: 'rows', access: 'urls:manage', cancellable: true, slots: 'account' },
  import_undo: { unit: 'links', access: 'urls:manage', cancellable: true, slots: 'account' },
  account_export: { unit: 'links', access: 'sessions', cancellable: true, slots: 'account' },
  account_deletion: { unit: 'links', access: 'sessions', cancellable: false, slots: 'service' },
  clicks_deletion: { unit: 'links', access: 'service', cancellable: false, slots: 'service' },
  block_list: { unit: 'links', access: 'service', cancellable: true, slots: 'service' },
  backfill: { unit: 'links', access: 'service', cancellable: true, slots: 'service' },
} as const satisfies Record<string, JobKindRow>;

export type JobKindName = keyof typeof JOB_KINDS;

export const JOB_KIND_NAMES = Object.keys(JOB_KINDS) as JobKindName[];

export const UNFINISHED = ['queued', 'running', 'waiting'] as const;
export const JOB_STATES = [...UNFINISHED, 'done', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

export interface JobError {
  readonly code: string;
  readonly error: string;
  readonly hint?: string;
}

export interface Job {
  readonly id: string;
  readonly kind: JobKindName;
  /** Null for the service's own jobs. */
  readonly ownerId: string | null;
  readonly state: JobState;
  readonly input: unknown;
  /** The next step's position; null before the first step has ended. */
  readonly cursor: unknown;
  readonly done: number;
  readonly total: number | null;
  readonly counts: Readonly<Record<string, number>>;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly error: JobError | null;
  readonly waitsUntil: Date | null;
  /** The job's files, stored on the machine `node`. */
  readonly files: readonly string[];
  readonly node: string | null;
  readonly claims: number;
  readonly isCancelled: boolean;
}

export function isUnfinished({ state }: Pick<Job, 'state'>): boolean {
  return UNFINISHED.some((each) => each === state);
}

export interface NewJob {
  readonly id?: string;
  readonly kind: JobKindName;
  readonly ownerId: string | null;
  readonly input: unknown;
  readonly total?: number | null;
  /** The only machine that can run the job, because the job's files are stored there. */
  readonly node?: string | null;
  readonly files?: readonly string[];
  /** Whether the account may have no other unfinished job of this kind. */
  readonly isSole?: boolean;
}
