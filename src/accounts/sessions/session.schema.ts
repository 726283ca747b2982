import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, Types } from 'mongoose';
import { REFRESH_SECONDS } from '../../auth/tokens';
import type { ListedSession, SignInMethod } from './session';

/** A sign-in, with the digest of its only valid refresh token. */
@Schema({ collection: 'sessions', versionKey: false, autoIndex: false, autoCreate: false })
export class SessionRecord {
  _id!: Types.ObjectId;

  @Prop({ required: true, type: SchemaTypes.ObjectId }) user!: Types.ObjectId;
  @Prop({ required: true, type: Number }) epoch!: number;
  @Prop({ required: true, type: [String] }) methods!: SignInMethod[];

  /** SHA-256 of the `jti` of the valid refresh token. */
  @Prop({ required: true, type: String }) live!: string;

  /** Browser family as in statistics; null for sessions from earlier releases until refreshed. */
  @Prop({ type: String, default: null }) browser?: string | null;
  @Prop({ type: String, default: null }) os?: string | null;

  /** English country name. The address is not stored. */
  @Prop({ type: String, default: null }) country?: string | null;

  /** REFRESH_SECONDS after the sign-in or the last refresh. */
  @Prop({ required: true, type: Date }) expires_at!: Date;
}

export const SessionSchema = SchemaFactory.createForClass(SessionRecord);
SessionSchema.index({ user: 1 }, { name: 'user' });
SessionSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0, name: 'expiry' });

/** Derives the creation time from the id, and the last use from the expiry. */
export function toListedSession(record: SessionRecord): ListedSession {
  return {
    id: record._id.toHexString(),
    createdAt: record._id.getTimestamp(),
    lastSeenAt: new Date(record.expires_at.getTime() - REFRESH_SECONDS * 1000),
    browser: record.browser ?? null,
    os: record.os ?? null,
    country: record.country ?? null,
  };
}
