import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { HOUR_MS } from '../../common/time';

export const CODE_PURPOSES = ['verification', 'reset'] as const;
/** Purpose of a one-time code; codes of different purposes do not know each other. */
export type CodePurpose = (typeof CODE_PURPOSES)[number];

// docs/contract.md#12.4.
export const CODE_SECONDS = 600;
export const CODE_MINUTES = CODE_SECONDS / 60;
/** Wrong tries after which a code is dead: for one client, and for everybody. */
export const CODE_TRIES = { ofClient: 5, ofAll: 15 } as const;
/** Wrong tries of an account, over all of its codes, after which it has none for as long again. */
export const ACCOUNT_TRIES = { most: 20, ms: 24 * HOUR_MS } as const;
/** Reset codes mailed to an account; the last one goes to a client that has not asked before. */
export const RESET_MAILS = { most: 3, ms: HOUR_MS } as const;

/** Result of a code that somebody has presented. */
export interface CodeVerdict {
  readonly accepted: boolean;
  /** True for the one try that has used up the account's: from now on it has no codes for a day. */
  readonly locked: boolean;
}

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
