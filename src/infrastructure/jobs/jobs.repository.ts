import { createHash } from 'node:crypto';
import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { InjectModel, MongooseModule } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { isDuplicateKey } from '../../common/database-fault';
import { DAY_MS } from '../../common/time';
import { ExpiredDocuments } from '../mongo/expired-documents';
import { type Job, type JobError, type JobKindName, type NewJob, UNFINISHED } from './job';
import { JobRecord, JobSchema, toJob } from './job.schema';

/** Retention of an ended job. */
const ENDED_JOB_MS = 30 * DAY_MS;
/** A lease that has run out. */
const NO_LEASE = new Date(0);

/** Outcome of a step: the next cursor, and its additions to the figures. */
export interface JobAdvance {
  /** Null: nothing is left to do. */
  readonly cursor: unknown;
  readonly done: number;
  readonly total?: number | null;
  readonly counts?: Readonly<Record<string, number>>;
}

export interface JobFigures {
  readonly queued: number;
  readonly running: number;
  readonly failed: number;
}

/** Request of a process of this machine for a job, for the kinds that it knows. */
export interface JobClaim {
  readonly holder: string;
  readonly node: string | null;
  readonly kinds: readonly JobKindName[];
  readonly leaseMs: number;
}

/**
 * The only reader and writer of the collection `jobs`, in web processes and in the jobs process.
 * Leases and times are by the database's clock. A job that runs is written to as its
 * holder alone: once it is another's or has ended, such a write finds nothing.
 */
@Injectable()
export class JobsRepository implements OnModuleInit {
  constructor(
    @InjectModel(JobRecord.name) private readonly jobs: Model<JobRecord>,
    private readonly expired: ExpiredDocuments,
  ) {}

  onModuleInit(): void {
    this.expired.register('jobs', async (now) => {
      const { deletedCount } = await this.jobs.deleteMany({ expires_at: { $lte: now } });
      return deletedCount;
    });
  }

  async insert(job: NewJob): Promise<Job> {
    const record = toQueued(new Types.ObjectId(job.id), job);
    await this.jobs.create([record]);
    return toJob(record);
  }

  /**
   * Queues the service's own job of a kind, unless it has not ended since the last time, wherever that
   * was. Its id follows from the kind, so one of several that begin it at once does.
   */
  async insertOnly(kind: JobKindName, input: unknown = null): Promise<boolean> {
    const record = toQueued(idOfOnly(kind), { kind, ownerId: null, input });
    try {
      const ended = { _id: record._id, state: { $nin: UNFINISHED } };
      await this.jobs.replaceOne(ended, record, { upsert: true });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** The service's own job of a kind, as it is or as the last one was; null where there is none. */
  findOnly(kind: JobKindName): Promise<Job | null> {
    return this.findById(idOfOnly(kind).toHexString());
  }

  /** Queues a job that has ended anew, from its beginning; false where it has not ended, or is gone. */
  async restart(id: string, input: unknown): Promise<boolean> {
    const anew = {
      state: 'queued',
      input,
      cursor: null,
      done: 0,
      total: null,
      counts: {},
      started_at: null,
      finished_at: null,
      error: null,
      holder: null,
      lease_until: NO_LEASE,
      expires_at: null,
    } as const;
    const ended = { _id: id, state: { $nin: UNFINISHED } };
    return (await this.jobs.updateOne(ended, { $set: anew })).matchedCount === 1;
  }

  async findById(id: string): Promise<Job | null> {
    const record = await this.jobs.findById(id).lean<JobRecord>();
    const isKept = record !== null && (record.expires_at?.getTime() ?? Infinity) > Date.now();
    return isKept ? toJob(record) : null;
  }

  /** Number of the account's jobs of a kind that have not ended. */
  countUnfinished(ownerId: string, kind: JobKindName): Promise<number> {
    return this.jobs.countDocuments({ owner: ownerId, kind, state: { $in: UNFINISHED } });
  }

  /** The jobs with these ids, by id, ended ones too. */
  async findByIds(ids: readonly string[]): Promise<Map<string, Job>> {
    const records = await this.jobs.find({ _id: { $in: [...ids] } }).lean<JobRecord[]>();
    return new Map(records.map((record) => [record._id.toHexString(), toJob(record)]));
  }

  /** Whether any job has not ended, on whichever machine. */
  async hasUnfinished(): Promise<boolean> {
    return (await this.jobs.exists({ state: { $in: UNFINISHED } })) !== null;
  }

  /** How many wait and run now, on all machines, and how many have failed since then. */
  async figures(since: Date): Promise<JobFigures> {
    const [queued, running, failed] = await Promise.all([
      this.jobs.countDocuments({ state: 'queued' }),
      this.jobs.countDocuments({ state: 'running' }),
      this.jobs.countDocuments({ state: 'failed', finished_at: { $gte: since } }),
    ]);
    return { queued, running, failed };
  }

  /**
   * Gives the oldest job that may run to the holder, for the length of a lease. A unique
   * index allows one of an account and kind: where it objects, the next one is tried.
   */
  async claim({ holder, node, kinds, leaseMs }: JobClaim): Promise<Job | null> {
    const blocked: { owner: unknown; kind: unknown; state: { $ne: 'running' } }[] = [];
    for (;;) {
      try {
        return await this.claimOldest(holder, leaseMs, {
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

  /** Lengthens the lease, or only looks at it; false when the job is the holder's no more. */
  async keep(id: string, holder: string, leaseMs: number | null): Promise<boolean> {
    const held = heldBy(id, holder);
    if (leaseMs === null) return (await this.jobs.exists(held)) !== null;
    const lease = { $set: { lease_until: { $add: ['$$NOW', leaseMs] } } };
    const { matchedCount } = await this.jobs.updateOne(held, [lease], { updatePipeline: true });
    return matchedCount === 1;
  }

  /** The job as it stands; null when it is the holder's no more. */
  async findHeld(id: string, holder: string): Promise<Job | null> {
    const record = await this.jobs.findOne(heldBy(id, holder)).lean<JobRecord>();
    return record === null ? null : toJob(record);
  }

  /**
   * Stores the outcome of a step, together with the end of a job that has nothing left to do;
   * null when the job is the holder's no more.
   */
  async advance(id: string, holder: string, step: JobAdvance): Promise<Job | null> {
    const { cursor, done, total, counts = {} } = step;
    const added = Object.entries(counts).map(([name, n]) => [
      name,
      { $add: [{ $ifNull: [`$counts.${name}`, 0] }, n] },
    ]);
    const update = {
      $set: {
        cursor: { $literal: cursor },
        done: { $add: ['$done', done] },
        error: null,
        ...(total !== undefined && { total }),
        ...(added.length > 0 && { counts: Object.fromEntries(added) as object }),
        ...(cursor === null && ended('done')),
      },
    };
    const record = await this.jobs
      .findOneAndUpdate(heldBy(id, holder), [update], {
        updatePipeline: true,
        returnDocument: 'after',
      })
      .lean<JobRecord>();
    return record === null ? null : toJob(record);
  }

  /** Notes why a step is being repeated. */
  async noteFailure(id: string, holder: string, error: JobError): Promise<void> {
    await this.jobs.updateOne(heldBy(id, holder), { $set: { error } });
  }

  /** Ends a job that its input has made fail. */
  async fail(id: string, holder: string, error: JobError): Promise<void> {
    const update = { $set: { ...ended('failed'), error: { $literal: error } } };
    await this.jobs.updateOne(heldBy(id, holder), [update], { updatePipeline: true });
  }

  /** Puts a job aside until a time by the database's clock. */
  async wait(id: string, holder: string, waitMs: number, error: JobError): Promise<void> {
    const update = {
      $set: {
        state: 'waiting',
        not_before: { $add: ['$$NOW', waitMs] },
        // Its text may begin with a dollar sign, which is a field to an expression.
        error: { $literal: error },
        holder: null,
        lease_until: NO_LEASE,
      },
    };
    await this.jobs.updateOne(heldBy(id, holder), [update], { updatePipeline: true });
  }

  /** Gives a lease back, so that the next one goes on at once. */
  async giveBack(id: string, holder: string): Promise<void> {
    await this.jobs.updateOne(heldBy(id, holder), {
      $set: { holder: null, lease_until: NO_LEASE },
    });
  }

  /**
   * Cancels a job unless it has ended. Its holder, if there is one, finds nothing to write to from
   * then on. Returns the job as it stands then, null for an unknown one.
   */
  async cancel(id: string): Promise<Job | null> {
    const record = await this.jobs
      .findOneAndUpdate({ _id: id, state: { $in: UNFINISHED } }, [{ $set: ended('cancelled') }], {
        updatePipeline: true,
        returnDocument: 'after',
      })
      .lean<JobRecord>();
    return record === null ? this.findById(id) : toJob(record);
  }

  /** Cancels every job of the account that has not ended, but for one. */
  async cancelOthersOf(ownerId: string, id: string): Promise<void> {
    const others = { owner: ownerId, _id: { $ne: id }, state: { $in: UNFINISHED } };
    await this.jobs.updateMany(others, [{ $set: ended('cancelled') }], { updatePipeline: true });
  }

  /** Removes every job of the account but for one. */
  async removeOthersOf(ownerId: string, id: string): Promise<void> {
    await this.jobs.deleteMany({ owner: ownerId, _id: { $ne: id } });
  }

  private async claimOldest(holder: string, leaseMs: number, which: object): Promise<Job | null> {
    const record = await this.jobs
      .findOneAndUpdate(
        {
          ...which,
          $or: [
            {
              state: { $in: ['queued', 'running'] },
              $expr: { $lt: ['$lease_until', '$$NOW'] },
            },
            { state: 'waiting', $expr: { $lte: ['$not_before', '$$NOW'] } },
          ],
        },
        [
          {
            $set: {
              state: 'running',
              holder,
              lease_until: { $add: ['$$NOW', leaseMs] },
              started_at: { $ifNull: ['$started_at', '$$NOW'] },
              not_before: null,
            },
          },
        ],
        { sort: { created_at: 1, _id: 1 }, updatePipeline: true, returnDocument: 'after' },
      )
      .lean<JobRecord>();
    return record === null ? null : toJob(record);
  }
}

function idOfOnly(kind: JobKindName): Types.ObjectId {
  return new Types.ObjectId(createHash('sha256').update(kind).digest().subarray(0, 12));
}

/** A job that nobody has taken yet. */
function toQueued(id: Types.ObjectId, job: NewJob): JobRecord {
  return {
    _id: id,
    owner: job.ownerId === null ? null : new Types.ObjectId(job.ownerId),
    kind: job.kind,
    state: 'queued',
    input: job.input,
    cursor: null,
    done: 0,
    total: job.total ?? null,
    counts: {},
    created_at: new Date(),
    started_at: null,
    finished_at: null,
    error: null,
    node: job.node ?? null,
    files: [...(job.files ?? [])],
    holder: null,
    lease_until: NO_LEASE,
    not_before: null,
    expires_at: null,
  };
}

function heldBy(id: string, holder: string) {
  return { _id: id, state: 'running' as const, holder };
}

/** The fields of an ended job, for an update by expressions. */
function ended(state: 'done' | 'failed' | 'cancelled') {
  return {
    state,
    finished_at: '$$NOW',
    expires_at: { $add: ['$$NOW', ENDED_JOB_MS] },
    holder: null,
    lease_until: NO_LEASE,
    not_before: null,
  };
}

@Module({
  imports: [MongooseModule.forFeature([{ name: JobRecord.name, schema: JobSchema }])],
  providers: [JobsRepository],
  exports: [JobsRepository],
})
export class JobsRepositoryModule {}
