import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';

/** A try: wrong, or under way and counted as wrong until it proves right. */
export interface TryRecord {
  id: string;
  at: Date;
}

export interface MailRecord extends TryRecord {
  /** Keyed hash of the client that asked. */
  client: string;
}

/** Tries and mails that an account, or an email without one, has used: at most 20 tries, 3 mails. */
@Schema({ collection: 'code_budgets', versionKey: false, autoIndex: false, autoCreate: false })
export class CodeBudgetRecord {
  /** Id of the account, or what stands for one. */
  @Prop({ required: true, type: String })
  _id!: string;

  @Prop({ type: [Object] })
  tries!: TryRecord[];

  @Prop({ type: [Object] })
  mails!: MailRecord[];

  @Prop({ type: Date, default: null })
  locked_until!: Date | null;

  @Prop({ required: true, type: Date })
  expires_at!: Date;
}

export const CodeBudgetSchema = SchemaFactory.createForClass(CodeBudgetRecord);
// For a MongoDB whose TTL monitor runs; every query asks for the time itself.
CodeBudgetSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0, name: 'expiry' });
