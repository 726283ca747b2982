import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';

/** An attempt that failed or is pending. A pending attempt counts as failed. */
export interface TryRecord {
  id: string;
  at: Date;
}

export interface MailRecord extends TryRecord {
  /** Keyed hash of the client that requested the email. */
  client: string;
}

/** Counts attempts and emails per account, or per email address that has no account. */
@Schema({ collection: 'code_budgets', versionKey: false, autoIndex: false, autoCreate: false })
export class CodeBudgetRecord {
  /** Account id, or the id derived from an email without an account. */
  @Prop({ required: true, type: String }) _id!: string;
  @Prop({ type: [Object] }) tries!: TryRecord[];
  @Prop({ type: [Object] }) mails!: MailRecord[];
  @Prop({ type: Date, default: null }) locked_until!: Date | null;
  @Prop({ required: true, type: Date }) expires_at!: Date;
}

export const CodeBudgetSchema = SchemaFactory.createForClass(CodeBudgetRecord);
// The TTL index only cleans up. Queries check the expiry.
CodeBudgetSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0, name: 'expiry' });
