import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { mongo, SchemaTypes } from 'mongoose';
import type { ProcessIdentity } from '../processes/process-identity';

/** Distinguishes a process from later processes and from processes on other machines. */
export interface HolderProcess extends ProcessIdentity {
  readonly host: string;
}

@Schema({ collection: 'idempotency', versionKey: false, autoIndex: false, autoCreate: false })
export class IdempotencyRecord {
  /** SHA-256 of caller, method, path and key. */
  @Prop({ required: true, type: String }) _id!: string;

  /** SHA-256 of the canonical body. */
  @Prop({ required: true, type: String }) fingerprint!: string;

  /** Null for anonymous callers; missing in requests from earlier releases. */
  @Prop({ type: SchemaTypes.ObjectId, default: null }) account?: mongo.ObjectId | null;
  @Prop({ required: true, type: String }) state!: 'running' | 'done';

  /** The running attempt; null lets the next caller take over. */
  @Prop({ type: String, default: null }) holder!: string | null;
  @Prop({ type: SchemaTypes.Mixed }) process!: HolderProcess;

  /** Lease end according to the database's clock. */
  @Prop({ type: Date }) lease_until!: Date;
  @Prop({ type: Number }) tries!: number;

  /** Ids chosen before any work, one per item. */
  @Prop({ type: [SchemaTypes.ObjectId], default: undefined }) ids?: mongo.ObjectId[];
  @Prop({ type: [SchemaTypes.ObjectId], default: undefined }) targets?: mongo.ObjectId[];

  /** JSON of the rows from an earlier attempt; null for items that failed. */
  @Prop({ type: String }) rows?: string;
  @Prop({ type: Number }) status?: number;
  @Prop({ type: SchemaTypes.Mixed }) headers?: Record<string, string>;
  @Prop({ type: SchemaTypes.Buffer }) body?: mongo.Binary;
  @Prop({ type: Boolean }) sealed?: boolean;
  @Prop({ type: Date }) expires_at!: Date;
}

export const IdempotencySchema = SchemaFactory.createForClass(IdempotencyRecord);
IdempotencySchema.index({ expires_at: 1 }, { expireAfterSeconds: 0, name: 'expiry' });
