import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { findIds, findPage } from '../mongo/find';
import { isDuplicateKey } from '../../common/database-fault';
import {
  type Job,
  type JobError,
  type JobKindName,
  type JobState,
  type NewJob,
  UNFINISHED,
} from './job';
import {
  advanceUpdate,
  claimUpdate,
  ended,
  type JobAdvance,
  releaseUpdate,
  toQueued,
  toRestarted,
  waitUpdate,
} from './job-updates';
import { JobRecord, toJob } from './job.schema';

const CLAIMABLE = [
  {
    state: { $in: ['queued', 'running'] as JobState[] },
    $expr: { $lt: ['$lease_until', '$$NOW'] },
  },
  { state: 'waiting' as const, $expr: { $lte: ['$not_before', '$$NOW'] } },
];

export interface JobFilter {
  readonly state?: JobState;
  readonly kind?: JobKindName;
  readonly ownerId?: string;
}

export interface JobFigures {
  readonly queued: number;
  readonly running: number;
  readonly failed: number;
}

export interface JobClaim {
  readonly holder: string;
  readonly node: string | null;
  readonly kinds: readonly JobKindName[];
  readonly leaseMs: number;
}

/**
 * Only this class reads and writes `jobs`. All times are the database's. A running job is written
 * only by its holder: if the holder has lost the job or the job has ended, updates match nothing.
 */
@Injectable()
export class JobsRepository {
  constructor(@InjectModel(JobRecord.name) private readonly jobs: Model<JobRecord>) {}

  /** @throws a duplicate key error if another job has the id, or the account has a sole job */
  async insert(job: NewJob): Promise<Job> {
    const owner = job.ownerId === null ? null : new Types.ObjectId(job.ownerId);
    const record = toQueued({ _id: new Types.ObjectId(job.id), owner }, job);
    await this.jobs.create([record]);
    return toJob(record);
  }

  /** Queues the only job of this kind unless it is unfinished. Atomic, because its id is fixed. */
  async insertOnly(kind: JobKindName, input: unknown = null): Promise<boolean> {
    const record = toQueued({ _id: idOfOnly(kind), owner: null }, { kind, ownerId: null, input });
    try {
      const ended = { _id: record._id, state: { $nin: UNFINISHED } };
      await this.jobs.replaceOne(ended, record, { upsert: true });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** Returns the service's own current or last job of this kind; null if there is none. */
  findOnly(kind: JobKindName): Promise<Job | null> {
    return this.findById(idOfOnly(kind).toHexString());
  }

  /** Restarts an ended job from the beginning; returns false if it is unfinished or missing. */
  async restart(id: string, input: unknown): Promise<boolean> {
    const ended = { _id: id, state: { $nin: UNFINISHED } };
    return (await this.jobs.updateOne(ended, toRestarted(input))).matchedCount === 1;
  }

  async findById(id: string): Promise<Job | null> {
    const record = await this.jobs.findById(id).lean<JobRecord>();
    const isKept = record !== null && (record.expires_at?.getTime() ?? Infinity) > Date.now();
    return isKept ? toJob(record) : null;
  }

  countUnfinished(ownerId: string, kind: JobKindName): Promise<number> {
    return this.jobs.countDocuments({ owner: ownerId, kind, state: { $in: UNFINISHED } });
  }

  idsEndedSince(kind: JobKindName, since: Date): Promise<string[]> {
    const ended = { kind, state: { $nin: UNFINISHED }, finished_at: { $gte: since } };
    return findIds<JobRecord>(this.jobs, ended);
  }

  async findByIds(ids: readonly string[]): Promise<Map<string, Job>> {
    const records = await this.jobs.find({ _id: { $in: [...ids] } }).lean<JobRecord[]>();
    return new Map(records.map((record) => [record._id.toHexString(), toJob(record)]));
  }

  /** Returns the newest jobs first. */
  async page(
    { state, kind, ownerId }: JobFilter,
    page: number,
    pageSize: number,
  ): Promise<{ jobs: Job[]; total: number }> {
    const which = {
      ...(state !== undefined && { state }),
      ...(kind !== undefined && { kind }),
      ...(ownerId !== undefined && { owner: ownerId }),
      $or: [{ expires_at: null }, { expires_at: { $gt: new Date() } }],
    };
    const options = { sort: { created_at: -1, _id: -1 }, page, pageSize } as const;
    const { records, total } = await findPage<JobRecord>(this.jobs, which, options);
    return { jobs: records.map(toJob), total };
  }

  async hasUnfinished(): Promise<boolean> {
    return (await this.jobs.exists({ state: { $in: UNFINISHED } })) !== null;
  }

  async figures(since: Date): Promise<JobFigures> {
    const [queued, running, failed] = await Promise.all([
      this.jobs.countDocuments({ state: 'queued' }),
      this.jobs.countDocuments({ state: 'running' }),
      this.jobs.countDocuments({ state: 'failed', finished_at: { $gte: since } }),
    ]);
    return { queued, running, failed };
  }

  /**
   * Claims the job whose account has waited longest. If the unique index rejects the claim, because
   * the account has a running job of this kind, the next job is tried.
   */
  async claim({ holder, node, kinds, leaseMs }: JobClaim): Promise<Job | null> {
    const blocked: { owner: unknown; kind: unknown; state: { $ne: 'running' } }[] = [];
    for (;;) {
      try {
        return await this.claimNext(holder, leaseMs, {
          kind: { $in: kinds },
          node: { $in: [null, node] },
          ...(blocked.length > 0 && { $nor: blocked }),
        });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const { keyValue } = error as Error & { keyValue: Pick<JobRecord, 'owner' | 'kind'> };
        blocked.push({ owner: keyValue.owner, kind: keyValue.kind, state: { $ne: 'running' } });
      }
    }
  }

  /** Whether this machine could claim a job of these kinds from another account. */
  async hasClaimable({
    ownerId,
    kinds,
    node,
  }: Pick<JobClaim, 'kinds' | 'node'> & Pick<Job, 'ownerId'>): Promise<boolean> {
    const which = {
      kind: { $in: kinds },
      node: { $in: [null, node] },
      ...(ownerId !== null && { owner: { $ne: ownerId } }),
      $or: CLAIMABLE,
    };
    return (await this.jobs.exists(which)) !== null;
  }

  /** Moves the account's queued jobs behind those from other accounts. */
  async endTurn(ownerId: string): Promise<void> {
    const turn = { $set: { turn_at: '$$NOW' } };
    await this.jobs.updateMany({ owner: ownerId, state: { $in: UNFINISHED } }, [turn], {
      updatePipeline: true,
    });
  }

  /** Renews the lease, or only checks it; null if the holder has lost the job. */
  async keep(
    id: string,
    holder: string,
    leaseMs: number | null,
  ): Promise<Pick<Job, 'isCancelled'> | null> {
    const held = jobHeldBy(id, holder);
    const lease = { $set: { lease_until: { $add: ['$$NOW', leaseMs] } } };
    const record = await (leaseMs === null
      ? this.jobs.findOne(held, { cancel_at: 1 }).lean<Pick<JobRecord, 'cancel_at'>>()
      : this.jobs
          .findOneAndUpdate(held, [lease], { updatePipeline: true, projection: { cancel_at: 1 } })
          .lean<Pick<JobRecord, 'cancel_at'>>());
    return record && { isCancelled: record.cancel_at != null };
  }

  /** Null if the holder has lost the job. */
  async findHeld(id: string, holder: string): Promise<Job | null> {
    const record = await this.jobs.findOne(jobHeldBy(id, holder)).lean<JobRecord>();
    return record === null ? null : toJob(record);
  }

  /** Stores a step's result and ends a job that is done or cancelled; null if the lease is lost. */
  async advance(id: string, holder: string, step: JobAdvance): Promise<Job | null> {
    const record = await this.jobs
      .findOneAndUpdate(jobHeldBy(id, holder), advanceUpdate(step), {
        updatePipeline: true,
        returnDocument: 'after',
      })
      .lean<JobRecord>();
    return record === null ? null : toJob(record);
  }

  async noteFailure(id: string, holder: string, error: JobError): Promise<void> {
    await this.jobs.updateOne(jobHeldBy(id, holder), { $set: { error } });
  }

  async fail(id: string, holder: string, error: JobError): Promise<void> {
    const update = { $set: { ...ended('failed'), error: { $literal: error } } };
    await this.jobs.updateOne(jobHeldBy(id, holder), [update], { updatePipeline: true });
  }

  /** Postpones the job by `waitMs`, according to the database's clock. */
  async wait(id: string, holder: string, waitMs: number, error: JobError): Promise<void> {
    await this.jobs.updateOne(jobHeldBy(id, holder), waitUpdate(waitMs, error), {
      updatePipeline: true,
    });
  }

  /** Releases the lease or ends a cancelled job. `isCounted`: counts a claim without progress. */
  async giveBack(id: string, holder: string, isCounted = false): Promise<void> {
    await this.jobs.updateOne(jobHeldBy(id, holder), releaseUpdate(isCounted), {
      updatePipeline: true,
    });
  }

  /** Ends the job now, or after the current step if it is running; null if there is no such job. */
  async cancel(id: string): Promise<Job | null> {
    await this.cancelAll({ _id: id });
    return this.findById(id);
  }

  /** Cancels all jobs of the account except its deletion, whose job has the account's id. */
  async cancelForAccount(ownerId: string): Promise<void> {
    await this.cancelAll({ owner: ownerId, _id: { $ne: ownerId } });
  }

  /** Ignores the account's deletion, whose job has the account's id. */
  async hasUnfinishedFor(ownerId: string): Promise<boolean> {
    const which = { owner: ownerId, _id: { $ne: ownerId }, state: { $in: UNFINISHED } };
    return (await this.jobs.exists(which)) !== null;
  }

  async remove(id: string): Promise<void> {
    await this.jobs.deleteOne({ _id: id });
  }

  async removeAllExcept(ownerId: string, id: string): Promise<void> {
    await this.jobs.deleteMany({ owner: ownerId, _id: { $ne: id } });
  }

  /** Requests cancellation first, so that a job claimed in between is ended by its holder. */
  private async cancelAll(which: object): Promise<void> {
    const unfinished = { ...which, state: { $in: UNFINISHED } };
    const request = { $set: { cancel_at: { $ifNull: ['$cancel_at', '$$NOW'] } } };
    await this.jobs.updateMany(unfinished, [request], { updatePipeline: true });
    const free = { ...unfinished, $expr: { $lt: ['$lease_until', '$$NOW'] } };
    await this.jobs.updateMany(free, [{ $set: ended('cancelled') }], { updatePipeline: true });
  }

  private async claimNext(holder: string, leaseMs: number, which: object): Promise<Job | null> {
    const record = await this.jobs
      .findOneAndUpdate({ ...which, $or: CLAIMABLE }, claimUpdate(holder, leaseMs), {
        sort: { turn_at: 1, created_at: 1, _id: 1 },
        updatePipeline: true,
        returnDocument: 'after',
      })
      .lean<JobRecord>();
    return record === null ? null : toJob(record);
  }
}

function idOfOnly(kind: JobKindName): Types.ObjectId {
  return new Types.ObjectId(createHash('sha256').update(kind).digest().subarray(0, 12));
}

function jobHeldBy(id: string, holder: string) {
  return { _id: id, state: 'running' as const, holder };
}
