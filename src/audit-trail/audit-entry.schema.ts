import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import type { AuditAct, AuditDoor, AuditEntry, AuditSubject } from './audit-entry';

@Schema({ collection: 'audit_trail', versionKey: false, autoIndex: false, autoCreate: false })
export class AuditEntryRecord {
  _id!: Types.ObjectId;

  @Prop({ required: true, type: Date }) at!: Date;

  @Prop({ type: { id: Types.ObjectId, via: String, _id: false }, required: true })
  actor!: { id: Types.ObjectId | null; via: AuditDoor };

  @Prop({ required: true, type: String }) act!: AuditAct;

  @Prop({ type: { kind: String, id: String, alias: String, _id: false }, required: true })
  subject!: AuditSubject;

  @Prop({ type: String, default: null }) reason!: string | null;
  @Prop({ type: Object, default: null }) before!: object | null;
  @Prop({ type: Object, default: null }) after!: object | null;
}

export const AuditEntrySchema = SchemaFactory.createForClass(AuditEntryRecord);
AuditEntrySchema.index({ at: -1, _id: -1 }, { name: 'newest' });
AuditEntrySchema.index({ act: 1, at: -1, _id: -1 }, { name: 'act' });
AuditEntrySchema.index({ 'actor.id': 1, at: -1, _id: -1 }, { name: 'actor' });
AuditEntrySchema.index({ 'subject.id': 1, at: -1, _id: -1 }, { name: 'subject' });

export function toAuditEntry(record: AuditEntryRecord): AuditEntry {
  const { kind, id, alias } = record.subject;
  return {
    id: record._id.toHexString(),
    at: record.at,
    actor: { id: record.actor.id?.toHexString() ?? null, via: record.actor.via },
    act: record.act,
    subject: { kind, id, ...(alias === undefined ? {} : { alias }) },
    reason: record.reason,
    before: record.before,
    after: record.after,
  };
}
