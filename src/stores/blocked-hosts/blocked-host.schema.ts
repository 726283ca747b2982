import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, Types } from 'mongoose';

/** A host that an admin blocked; `_id` is the host in the form of URLs. */
@Schema({ collection: 'blocked_hosts', versionKey: false, autoIndex: false, autoCreate: false })
export class BlockedHostRecord {
  @Prop({ type: String, required: true })
  _id!: string;

  @Prop({ type: String, default: null })
  reason!: string | null;

  @Prop({ type: Date, required: true })
  created_at!: Date;

  /** The admin's account; null for a command. */
  @Prop({ type: SchemaTypes.ObjectId, default: null })
  by!: Types.ObjectId | null;
}

export const BlockedHostSchema = SchemaFactory.createForClass(BlockedHostRecord);
