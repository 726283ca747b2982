import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

/** An attempt under way. Neither state nor browser mark can be read from it. */
@Schema({ collection: 'oauth_states', versionKey: false, autoIndex: false, autoCreate: false })
export class StateRecord {
  /** SHA-256 of the state. */
  @Prop({ required: true, type: String })
  _id!: string;

  @Prop({ required: true, type: String })
  provider!: string;

  /** SHA-256 of the mark of the browser that started. */
  @Prop({ required: true, type: String })
  browser!: string;

  @Prop({ required: true, type: String })
  next!: string;

  /** Null when the attempt is to sign in. */
  @Prop({
    type: { user: Types.ObjectId, epoch: Number, session: String, _id: false },
    default: null,
  })
  link!: { user: Types.ObjectId; epoch: number; session: string } | null;

  @Prop({ required: true, type: Date })
  expires_at!: Date;
}

export const StateSchema = SchemaFactory.createForClass(StateRecord);
// For a MongoDB whose TTL monitor runs; every query asks for the time itself.
StateSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0, name: 'expiry' });
