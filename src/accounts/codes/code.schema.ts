import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { HOUR_MS } from '../../common/time';

/** Purposes of codes that prove the identity of the owner. They are sent to the current address. */
export const PROOF_PURPOSES = ['deletion', 'email'] as const;
export type ProofPurpose = (typeof PROOF_PURPOSES)[number];

export const CODE_PURPOSES = [
  'verification',
  'reset',
  'sign_in',
  ...PROOF_PURPOSES,
  'new_email',
] as const;
export type CodePurpose = (typeof CODE_PURPOSES)[number];

export const CODE_SECONDS = 600;
export const CODE_MINUTES = CODE_SECONDS / 60;
/** Number of failed attempts that blocks a code for a client (`ofClient`) and for all clients. */
export const CODE_TRIES = { ofClient: 5, ofAll: 15 } as const;
/** Number of failed attempts across all of an account's codes that locks them for this period. */
export const ACCOUNT_TRIES = { most: 20, ms: 24 * HOUR_MS } as const;
/** Emails per account; the last is reserved for a client that has not requested one yet. */
export const RESET_MAILS = { most: 3, ms: HOUR_MS } as const;

export interface CodeVerdict {
  readonly accepted: boolean;
  readonly locked: boolean;
}

@Schema({ collection: 'codes', versionKey: false, autoIndex: false, autoCreate: false })
export class CodeRecord {
  @Prop({ required: true, type: String }) _id!: string;
  @Prop({ required: true, type: String }) hash!: string;
  @Prop({ required: true, type: Number }) tries!: number;
  @Prop({ type: Object }) tries_by?: Record<string, number>;
  /** The address that the code was sent to, if it is not the account's. */
  @Prop({ type: String }) address?: string;
  @Prop({ required: true, type: Date }) expires_at!: Date;
}

export const CodeSchema = SchemaFactory.createForClass(CodeRecord);
CodeSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0, name: 'expiry' });
