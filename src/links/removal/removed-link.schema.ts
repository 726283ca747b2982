import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

/**
 * Notes for some time that a link was to be removed: lists in memory hear of it, and what a crash
 * or a late click has left of the link is found by it. Its `_id` is the link's.
 */
@Schema({ collection: 'removed_links', versionKey: false, autoIndex: false, autoCreate: false })
export class RemovedLinkRecord {
  _id!: Types.ObjectId;

  @Prop({ required: true, type: Types.ObjectId })
  owner!: Types.ObjectId;

  /** Database time of the removal. */
  @Prop({ required: true, type: Date })
  at!: Date;
}

export const RemovedLinkSchema = SchemaFactory.createForClass(RemovedLinkRecord);
RemovedLinkSchema.index({ owner: 1, at: 1 }, { name: 'owner' });
RemovedLinkSchema.index({ at: 1 }, { name: 'at' });
