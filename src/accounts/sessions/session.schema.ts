import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, Types } from 'mongoose';
import type { SignInMethod } from './session';

/** A sign-in with the digest of its one live refresh token. */
@Schema({ collection: 'sessions', versionKey: false, autoIndex: false, autoCreate: false })
export class SessionRecord {
  _id!: Types.ObjectId;

  @Prop({ required: true, type: SchemaTypes.ObjectId })
  user!: Types.ObjectId;

  /** The account's session epoch at the sign-in. */
  @Prop({ required: true, type: Number })
  epoch!: number;

  @Prop({ required: true, type: [String] })
  methods!: SignInMethod[];

  /** SHA-256 of the live refresh token's jti. */
  @Prop({ required: true, type: String })
  live!: string;

  @Prop({ required: true, type: Date })
  expires_at!: Date;
}

export const SessionSchema = SchemaFactory.createForClass(SessionRecord);
SessionSchema.index({ user: 1 }, { name: 'user' });
// For a MongoDB whose TTL monitor runs; every query asks for the time itself.
SessionSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0, name: 'expiry' });
