import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';

/** A failed attempt, or a pending one, which counts as failed until the code proves correct. */
export interface TryRecord {
  id: string;
  at: Date;
}

export interface MailRecord extends TryRecord {
  /** Keyed hash of the requesting client. */
  client: string;
}

/** At most 20 attempts and 3 emails. The key may stand for an email without an account. */
@Schema({ collection: 'code_budgets', versionKey: false, autoIndex: false, autoCreate: false })
export class CodeBudgetRecord {
  /** Account id, or the id derived from an email without an account. */
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
// The TTL monitor only cleans up; queries check the time themselves.
CodeBudgetSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0, name: 'expiry' });
