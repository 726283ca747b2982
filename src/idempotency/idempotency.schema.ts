import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { mongo, SchemaTypes } from 'mongoose';
import type { ProcessIdentity } from '../processes/process-identity';

/** A process that runs a request, told apart from later ones and from those of other machines. */
export interface HolderProcess extends ProcessIdentity {
  readonly host: string;
}

/** A request with an Idempotency-Key, as it is stored. */
@Schema({ collection: 'idempotency', versionKey: false, autoIndex: false, autoCreate: false })
export class IdempotencyRecord {
  /** SHA-256 of caller, method, path and key. */
  @Prop({ required: true, type: String })
  _id!: string;

  /** SHA-256 of the canonical body. */
  @Prop({ required: true, type: String })
  fingerprint!: string;

  /** Account of the caller; null without one, absent in requests of before. */
  @Prop({ type: SchemaTypes.ObjectId, default: null })
  account?: mongo.ObjectId | null;

  @Prop({ required: true, type: String })
  state!: 'running' | 'done';

  /** Names the try that runs; null = none does, and the next caller takes over. */
  @Prop({ type: String, default: null })
  holder!: string | null;

  @Prop({ type: SchemaTypes.Mixed })
  process!: HolderProcess;

  /** By the database's clock. */
  @Prop({ type: Date })
  lease_until!: Date;

  @Prop({ type: Number })
  tries!: number;

  /** Chosen before anything was done, one an item. */
  @Prop({ type: [SchemaTypes.ObjectId], default: undefined })
  ids?: mongo.ObjectId[];

  /** Documents that the request is about, as its first try found them. */
  @Prop({ type: [SchemaTypes.ObjectId], default: undefined })
  targets?: mongo.ObjectId[];

  /** JSON: the rows that an earlier try has answered, null for those that it could not do. */
  @Prop({ type: String })
  rows?: string;

  @Prop({ type: Number })
  status?: number;

  @Prop({ type: SchemaTypes.Mixed })
  headers?: Record<string, string>;

  @Prop({ type: SchemaTypes.Buffer })
  body?: mongo.Binary;

  @Prop({ type: Boolean })
  sealed?: boolean;

  @Prop({ type: Date })
  expires_at!: Date;
}

export const IdempotencySchema = SchemaFactory.createForClass(IdempotencyRecord);
IdempotencySchema.index({ expires_at: 1 }, { expireAfterSeconds: 0, name: 'expiry' });
