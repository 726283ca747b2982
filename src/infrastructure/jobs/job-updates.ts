import { JOB_KIND_NAMES, type JobError, keptMs, type NewJob } from './job';
import type { JobRecord } from './job.schema';

const NO_LEASE = new Date(0);
const KEPT_MS = {
  $switch: {
    branches: JOB_KIND_NAMES.map((kind) => ({
      case: { $eq: ['$kind', kind] },
      then: keptMs(kind),
    })),
    default: keptMs('import'),
  },
};
/** Number of claims before the current one. */
const UNCOUNTED_CLAIM = { $max: [0, { $subtract: [{ $ifNull: ['$claims', 0] }, 1] }] };
/** Stage in the holder's updates that ends the job if it was cancelled. */
const END_OF_CANCELLED = {
  $set: Object.fromEntries(
    Object.entries(ended('cancelled')).map(([field, value]) => [
      field,
      { $cond: [{ $gt: ['$cancel_at', null] }, value, `$${field}`] },
    ]),
  ),
};

export interface JobAdvance {
  /** Null if the job is done. */
  readonly cursor: unknown;
  readonly done: number;
  readonly total?: number | null;
  readonly counts?: Readonly<Record<string, number>>;
}

const FRESH = {
  state: 'queued',
  cursor: null,
  done: 0,
  total: null,
  started_at: null,
  finished_at: null,
  error: null,
  holder: null,
  lease_until: NO_LEASE,
  claims: 0,
  cancel_at: null,
  not_before: null,
  expires_at: null,
} as const;

export function toQueued(ids: Pick<JobRecord, '_id' | 'owner'>, job: NewJob): JobRecord {
  const queuedAt = new Date();
  return {
    ...FRESH,
    ...ids,
    kind: job.kind,
    input: job.input,
    total: job.total ?? null,
    counts: {},
    created_at: queuedAt,
    node: job.node ?? null,
    files: [...(job.files ?? [])],
    turn_at: queuedAt,
    ...(job.isSole === true && { sole: `${job.ownerId}/${job.kind}` }),
  };
}

/** Resets an ended job. */
export function toRestarted(input: unknown) {
  return { $set: { ...FRESH, input, counts: {}, turn_at: new Date() } };
}

/** Update of a job that a holder claims. */
export function claimUpdate(holder: string, leaseMs: number) {
  return [
    {
      $set: {
        state: 'running',
        holder,
        lease_until: { $add: ['$$NOW', leaseMs] },
        started_at: { $ifNull: ['$started_at', '$$NOW'] },
        not_before: null,
        turn_at: '$$NOW',
        claims: { $add: [{ $ifNull: ['$claims', 0] }, 1] },
      },
    },
  ];
}

/** Stores a step's result and ends a job that is done or cancelled. */
export function advanceUpdate({ cursor, done, total, counts = {} }: JobAdvance) {
  const added = Object.entries(counts).map(([name, n]) => [
    name,
    { $add: [{ $ifNull: [`$counts.${name}`, 0] }, n] },
  ]);
  const update = {
    $set: {
      cursor: { $literal: cursor },
      done: { $add: ['$done', done] },
      error: null,
      claims: 1,
      ...(total !== undefined && { total }),
      ...(added.length > 0 && { counts: Object.fromEntries(added) as object }),
      ...(cursor === null && ended('done')),
    },
  };
  return cursor === null ? [update] : [update, END_OF_CANCELLED];
}

/** @param waitMs duration, according to the database's clock */
export function waitUpdate(waitMs: number, error: JobError) {
  const update = {
    $set: {
      state: 'waiting',
      not_before: { $add: ['$$NOW', waitMs] },
      // Without $literal, text that starts with a dollar sign would be read as a field name.
      error: { $literal: error },
      holder: null,
      lease_until: NO_LEASE,
      claims: UNCOUNTED_CLAIM,
    },
  };
  return [update, END_OF_CANCELLED];
}

/** @param isCounted whether the claim counts as one without progress */
export function releaseUpdate(isCounted: boolean) {
  const update = {
    $set: {
      holder: null,
      lease_until: NO_LEASE,
      turn_at: '$$NOW',
      ...(!isCounted && { claims: UNCOUNTED_CLAIM }),
    },
  };
  return [update, END_OF_CANCELLED];
}

/** For updates that consist of pipeline stages. */
export function ended(state: 'done' | 'failed' | 'cancelled') {
  return {
    state,
    finished_at: '$$NOW',
    expires_at: { $add: ['$$NOW', KEPT_MS] },
    sole: '$$REMOVE',
    holder: null,
    lease_until: NO_LEASE,
    not_before: null,
  };
}
