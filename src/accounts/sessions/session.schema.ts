import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, Types } from 'mongoose';
import { REFRESH_SECONDS } from '../../auth/tokens';
import type { ListedSession, SignInMethod } from './session';

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

  /** Families as in statistics; sessions of earlier releases have none until they are refreshed. */
  @Prop({ type: String, default: null })
  browser?: string | null;

  @Prop({ type: String, default: null })
  os?: string | null;

  /** English name of the country; the address itself is not kept. */
  @Prop({ type: String, default: null })
  country?: string | null;

  /** REFRESH_SECONDS after the sign-in or the last refresh. */
  @Prop({ required: true, type: Date })
  expires_at!: Date;
}

export const SessionSchema = SchemaFactory.createForClass(SessionRecord);
SessionSchema.index({ user: 1 }, { name: 'user' });
// For a MongoDB whose TTL monitor runs; every query asks for the time itself.
SessionSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0, name: 'expiry' });

/**
 * Returns the entry of a list of sessions. Two times follow from what is stored anyway: the id tells when it
 * was made, and the end moves with every refresh; so a session costs no write for being seen.
 */
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
