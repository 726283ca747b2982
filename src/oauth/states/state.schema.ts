import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

/** A pending sign-in. State and browser binding are stored only as digests. */
@Schema({ collection: 'oauth_states', versionKey: false, autoIndex: false, autoCreate: false })
export class StateRecord {
  @Prop({ required: true, type: String }) _id!: string;
  @Prop({ required: true, type: String }) provider!: string;
  @Prop({ required: true, type: String }) browser!: string;
  @Prop({ required: true, type: String }) next!: string;

  /** Null for a sign-in. */
  @Prop({
    type: { user: Types.ObjectId, epoch: Number, session: String, _id: false },
    default: null,
  })
  link!: { user: Types.ObjectId; epoch: number; session: string } | null;

  @Prop({ required: true, type: Date }) expires_at!: Date;
}

export const StateSchema = SchemaFactory.createForClass(StateRecord);
// The TTL index may delete late, so queries also check the expiry.
StateSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0, name: 'expiry' });
