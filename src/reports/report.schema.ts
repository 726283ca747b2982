import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, Types } from 'mongoose';
import type { ReportEntry, ReportReason, ReportState, ReportVector } from './report';

/** Stored form of an entry; what nobody has said is absent. */
export interface EntryRecord {
  at: Date;
  reason: ReportReason;
  details?: string;
  vector?: ReportVector;
  email?: string;
  org?: string;
  account?: Types.ObjectId;
}

/** Stored form of a report. */
@Schema({ collection: 'reports', versionKey: false, autoIndex: false, autoCreate: false })
export class ReportRecord {
  _id!: Types.ObjectId;

  @Prop({ required: true, type: SchemaTypes.ObjectId })
  link!: Types.ObjectId;

  @Prop({ required: true, type: String })
  state!: ReportState;

  @Prop({ required: true, type: Number })
  count!: number;

  @Prop({ required: true, type: SchemaTypes.Mixed })
  reasons!: Partial<Record<ReportReason, number>>;

  @Prop({ required: true, type: Date })
  first_at!: Date;

  @Prop({ required: true, type: Date })
  last_at!: Date;

  /** The newest last. */
  @Prop({ required: true, type: SchemaTypes.Mixed })
  entries!: EntryRecord[];
}

export const ReportSchema = SchemaFactory.createForClass(ReportRecord);
// One open report a link, however many report it at once.
ReportSchema.index(
  { link: 1 },
  { unique: true, name: 'open_of_link', partialFilterExpression: { state: 'open' } },
);
ReportSchema.index({ state: 1, first_at: -1, _id: -1 }, { name: 'state' });

export function toEntryRecord({ at, reason, details, vector, reporter }: ReportEntry): EntryRecord {
  const { email, org, accountId } = reporter;
  return {
    at,
    reason,
    ...(details !== null && { details }),
    ...(vector !== null && { vector }),
    ...(email !== null && { email }),
    ...(org !== null && { org }),
    ...(accountId !== null && { account: new Types.ObjectId(accountId) }),
  };
}
