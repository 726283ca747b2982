import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, Types } from 'mongoose';
import type { UtmTemplate } from './utm-template';

@Schema({ collection: 'utm_templates', versionKey: false, autoIndex: false, autoCreate: false })
export class UtmTemplateRecord {
  _id!: Types.ObjectId;

  @Prop({ required: true, type: SchemaTypes.ObjectId }) owner!: Types.ObjectId;
  @Prop({ required: true, type: String }) name!: string;
  @Prop({ type: String, default: null }) source!: string | null;
  @Prop({ type: String, default: null }) medium!: string | null;
  @Prop({ type: String, default: null }) campaign!: string | null;
  @Prop({ type: String, default: null }) term!: string | null;
  @Prop({ type: String, default: null }) content!: string | null;
  @Prop({ required: true, type: Date }) created_at!: Date;

  /** 0 to 99, unique per owner. */
  @Prop({ required: true, type: Number }) place!: number;
}

export const UtmTemplateSchema = SchemaFactory.createForClass(UtmTemplateRecord);
// Enforces the limit under concurrent inserts, because each template occupies a unique place.
UtmTemplateSchema.index({ owner: 1, place: 1 }, { unique: true, name: 'place' });

export function toUtmTemplate(record: UtmTemplateRecord): UtmTemplate {
  const { name, source, medium, campaign, term, content } = record;
  return {
    id: record._id.toHexString(),
    name,
    source,
    medium,
    campaign,
    term,
    content,
    createdAt: record.created_at,
  };
}
