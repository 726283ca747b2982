import { Injectable } from '@nestjs/common';
import { InjectModel, Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { findIds } from '../../infrastructure/mongo/find';
import { ACCESS_SECONDS } from '../../auth/tokens';

/** A deleted account whose access tokens may not have expired yet. */
@Schema({ collection: 'removed_accounts', versionKey: false, autoIndex: false, autoCreate: false })
export class RemovedAccountRecord {
  _id!: Types.ObjectId;

  @Prop({ required: true, type: Date }) expires_at!: Date;
}

export const RemovedAccountSchema = SchemaFactory.createForClass(RemovedAccountRecord);
RemovedAccountSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0, name: 'expiry' });

/** Stores the ids of deleted accounts until their access tokens have expired. */
@Injectable()
export class RemovedAccountsRepository {
  constructor(
    @InjectModel(RemovedAccountRecord.name) private readonly removed: Model<RemovedAccountRecord>,
  ) {}

  async note(id: string, now: Date): Promise<void> {
    const until = new Date(now.getTime() + 2 * ACCESS_SECONDS * 1000);
    await this.removed.updateOne({ _id: id }, { $set: { expires_at: until } }, { upsert: true });
  }

  ids(now: Date): Promise<string[]> {
    return findIds<RemovedAccountRecord>(this.removed, { expires_at: { $gt: now } });
  }
}
