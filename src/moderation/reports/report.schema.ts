import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, Types } from 'mongoose';
import type { Report, ReportEntry, ReportReason, ReportState, ReportVector } from './report';

export interface EntryRecord {
  at: Date;
  reason: ReportReason;
  details?: string;
  vector?: ReportVector;
  email?: string;
  org?: string;
  account?: Types.ObjectId;
}

@Schema({ collection: 'reports', versionKey: false, autoIndex: false, autoCreate: false })
export class ReportRecord {
  _id!: Types.ObjectId;

  @Prop({ required: true, type: SchemaTypes.ObjectId }) link!: Types.ObjectId;
  @Prop({ required: true, type: String }) state!: ReportState;
  @Prop({ required: true, type: Number }) count!: number;

  @Prop({ required: true, type: SchemaTypes.Mixed })
  reasons!: Partial<Record<ReportReason, number>>;

  @Prop({ required: true, type: Date }) first_at!: Date;
  @Prop({ required: true, type: Date }) last_at!: Date;

  /** Entries, oldest first. */
  @Prop({ required: true, type: SchemaTypes.Mixed }) entries!: EntryRecord[];

  @Prop({ type: SchemaTypes.Mixed })
  closed?: { at: Date; by: Types.ObjectId | null; reason: string | null };

  /** When reporters and their texts are deleted from a closed report; absent afterwards. */
  @Prop({ type: Date }) forget_at?: Date;

  /** True until admins are notified, then absent. */
  @Prop({ type: Boolean }) untold?: true;
}

export const ReportSchema = SchemaFactory.createForClass(ReportRecord);
// Allows one open report per link under concurrent inserts.
ReportSchema.index(
  { link: 1 },
  { unique: true, name: 'open_of_link', partialFilterExpression: { state: 'open' } },
);
ReportSchema.index({ state: 1, first_at: -1, _id: -1 }, { name: 'state' });
ReportSchema.index({ first_at: -1, _id: -1 }, { name: 'newest' });
ReportSchema.index(
  { forget_at: 1 },
  { name: 'forget', partialFilterExpression: { forget_at: { $type: 'date' } } },
);
ReportSchema.index({ untold: 1 }, { name: 'untold', partialFilterExpression: { untold: true } });

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

/** @param now to hide data that is due for deletion but still stored */
export function toReport(record: ReportRecord, now: Date): Report {
  const { closed, forget_at } = record;
  const isForgotten = forget_at !== undefined && forget_at <= now;
  const entries = isForgotten ? record.entries.map(forgotten) : record.entries;
  return {
    id: record._id.toHexString(),
    linkId: record.link.toHexString(),
    state: record.state,
    count: record.count,
    reasons: record.reasons,
    firstAt: record.first_at,
    lastAt: record.last_at,
    entries: entries.map(toReportEntry).reverse(),
    closed: closed ? { ...closed, by: closed.by?.toHexString() ?? null } : null,
  };
}

function forgotten({ at, reason, vector }: EntryRecord): EntryRecord {
  return { at, reason, ...(vector && { vector }) };
}

function toReportEntry({
  at,
  reason,
  details,
  vector,
  email,
  org,
  account,
}: EntryRecord): ReportEntry {
  return {
    at,
    reason,
    details: details ?? null,
    vector: vector ?? null,
    reporter: {
      accountId: account?.toHexString() ?? null,
      email: email ?? null,
      org: org ?? null,
    },
  };
}
