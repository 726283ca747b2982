import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';

/** The newest code of an account and purpose; a newer one replaces it. */
@Schema({ collection: 'codes', versionKey: false, autoIndex: false, autoCreate: false })
export class CodeRecord {
  /** `purpose:account id` */
  @Prop({ required: true, type: String })
  _id!: string;

  /** Keyed hash of the code. */
  @Prop({ required: true, type: String })
  hash!: string;

  @Prop({ required: true, type: Number })
  tries!: number;

  /** Tries by the keyed hash of the client; never more of them than there are tries. */
  @Prop({ type: Object })
  tries_by?: Record<string, number>;

  @Prop({ required: true, type: Date })
  expires_at!: Date;
}

export const CodeSchema = SchemaFactory.createForClass(CodeRecord);
// For a MongoDB whose TTL monitor runs; every query asks for the time itself.
CodeSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0, name: 'expiry' });
