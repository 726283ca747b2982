import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, Types } from 'mongoose';
import {
  type Job,
  type JobError,
  JOB_KIND_NAMES,
  JOB_STATES,
  type JobKindName,
  type JobState,
} from './job';

@Schema({
  collection: 'jobs',
  versionKey: false,
  autoIndex: false,
  autoCreate: false,
  // Stores `counts` even if it is an empty object.
  minimize: false,
})
export class JobRecord {
  _id!: Types.ObjectId;

  @Prop({ type: SchemaTypes.ObjectId, default: null }) owner!: Types.ObjectId | null;
  @Prop({ required: true, type: String, enum: JOB_KIND_NAMES }) kind!: JobKindName;
  @Prop({ required: true, type: String, enum: JOB_STATES }) state!: JobState;
  @Prop({ type: SchemaTypes.Mixed, default: null }) input!: unknown;
  @Prop({ type: SchemaTypes.Mixed, default: null }) cursor!: unknown;
  @Prop({ required: true, type: Number }) done!: number;
  @Prop({ type: Number, default: null }) total!: number | null;
  @Prop({ type: SchemaTypes.Mixed, default: {} }) counts!: Record<string, number>;
  @Prop({ required: true, type: Date }) created_at!: Date;
  @Prop({ type: Date, default: null }) started_at!: Date | null;
  @Prop({ type: Date, default: null }) finished_at!: Date | null;
  @Prop({ type: SchemaTypes.Mixed, default: null }) error!: JobError | null;
  @Prop({ type: String, default: null }) node!: string | null;
  @Prop({ type: [String], default: [] }) files!: string[];

  /** The machine's node id and a run id; null if the job is not running. */
  @Prop({ type: String, default: null }) holder!: string | null;

  /** Lease end according to the database's clock; a job with an expired lease can be claimed. */
  @Prop({ required: true, type: Date }) lease_until!: Date;

  /** Number of claims since the cursor last changed; absent in jobs from earlier releases. */
  @Prop({ type: Number, default: 0 }) claims?: number;

  /** Time of the account's last turn, or of queueing; the earliest job is claimed first. */
  @Prop({ type: Date, default: null }) turn_at?: Date | null;

  /** When cancellation was requested while a step was running. */
  @Prop({ type: Date, default: null }) cancel_at?: Date | null;
  @Prop({ type: Date, default: null }) not_before!: Date | null;
  @Prop({ type: Date, default: null }) expires_at!: Date | null;

  /** Owner and kind of a job that must be the only unfinished one; absent once it has ended. */
  @Prop({ type: String }) sole?: string;
}

export const JobSchema = SchemaFactory.createForClass(JobRecord);
JobSchema.index({ state: 1, created_at: 1, _id: 1 }, { name: 'state' });
// Permits a single running job per account and kind across all machines.
JobSchema.index(
  { owner: 1, kind: 1 },
  { unique: true, name: 'running', partialFilterExpression: { state: 'running' } },
);
JobSchema.index(
  { sole: 1 },
  { unique: true, name: 'sole', partialFilterExpression: { sole: { $type: 'string' } } },
);
JobSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0, name: 'expiry' });

export function toJob(record: JobRecord): Job {
  return {
    id: record._id.toHexString(),
    kind: record.kind,
    ownerId: record.owner?.toHexString() ?? null,
    state: record.state,
    input: record.input,
    cursor: record.cursor,
    done: record.done,
    total: record.total,
    counts: record.counts,
    createdAt: record.created_at,
    startedAt: record.started_at,
    finishedAt: record.finished_at,
    error: record.error,
    waitsUntil: record.state === 'waiting' ? record.not_before : null,
    files: record.files,
    node: record.node,
    claims: record.claims ?? 0,
    isCancelled: record.cancel_at != null,
  };
}
