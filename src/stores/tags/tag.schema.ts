import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, Types } from 'mongoose';
import type { Tag, TagColor } from './tag';

@Schema({ collection: 'tags', versionKey: false, autoIndex: false, autoCreate: false })
export class TagRecord {
  _id!: Types.ObjectId;

  @Prop({ required: true, type: SchemaTypes.ObjectId }) owner!: Types.ObjectId;
  @Prop({ required: true, type: String }) name!: string;

  /** Normalised name, unique per account. */
  @Prop({ required: true, type: String }) key!: string;
  @Prop({ required: true, type: String }) color!: TagColor;
  @Prop({ required: true, type: Date }) created_at!: Date;
}

export const TagSchema = SchemaFactory.createForClass(TagRecord);
TagSchema.index({ owner: 1, key: 1 }, { unique: true, name: 'owner_key' });

export function toTag(record: TagRecord): Tag {
  return {
    id: record._id.toHexString(),
    name: record.name,
    key: record.key,
    color: record.color,
    createdAt: record.created_at,
  };
}
