import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import type { Generation, Link, LinkStatus } from './link';

/** Stored form of a link (docs/architecture.md, Collections). */
@Schema({ collection: 'links', versionKey: false, autoIndex: false, autoCreate: false })
export class LinkRecord {
  _id!: Types.ObjectId;

  @Prop({ required: true, type: String })
  alias!: string;

  @Prop({ required: true, type: String })
  long_url!: string;

  @Prop({ type: Types.ObjectId, default: null })
  owner!: Types.ObjectId | null;

  @Prop({ required: true, type: String })
  generation!: Generation;

  @Prop({ required: true, type: Date })
  created_at!: Date;

  @Prop({ type: Date, default: null })
  updated_at!: Date | null;

  @Prop({ required: true, type: String, default: 'ACTIVE' })
  status!: LinkStatus;

  @Prop({ required: true, type: Boolean, default: false })
  closed_by_limit!: boolean;

  @Prop({ type: String, default: null })
  password_hash!: string | null;

  @Prop({ type: Number, default: null })
  max_clicks!: number | null;

  @Prop({ required: true, type: Number, default: 0 })
  slots_taken!: number;

  /** No slot is given out before this moment: clicks that took none are still being recorded. */
  @Prop({ type: Date, default: null })
  slots_from!: Date | null;

  @Prop({ type: Date, default: null })
  expire_after!: Date | null;

  @Prop({ required: true, type: Boolean, default: false })
  block_bots!: boolean;

  @Prop({ required: true, type: Boolean, default: false })
  private_stats!: boolean;

  @Prop({ required: true, type: Number, default: 0 })
  total_clicks!: number;

  @Prop({ required: true, type: Number, default: 0 })
  open_clicks!: number;

  @Prop({ type: Date, default: null })
  last_click!: Date | null;

  /** Database time of the last write that a list of links may show; every writer sets it. */
  @Prop({ required: true, type: Date })
  touched_at!: Date;
}

export const LinkSchema = SchemaFactory.createForClass(LinkRecord);
LinkSchema.index({ alias: 1 }, { unique: true, name: 'alias' });
// Partial, so that anonymous links pay nothing: any ObjectId is above this one, null is not.
LinkSchema.index(
  { owner: 1, touched_at: 1, _id: 1 },
  {
    name: 'owner_touched',
    partialFilterExpression: { owner: { $gte: new Types.ObjectId('0'.repeat(24)) } },
  },
);

export function toLink(record: Omit<LinkRecord, 'touched_at'>): Link {
  return {
    id: record._id.toHexString(),
    alias: record.alias,
    longUrl: record.long_url,
    ownerId: record.owner === null ? null : record.owner.toHexString(),
    generation: record.generation,
    createdAt: record.created_at,
    updatedAt: record.updated_at,
    status: record.status,
    closedByLimit: record.closed_by_limit,
    passwordHash: record.password_hash,
    maxClicks: record.max_clicks,
    usedClicks: record.slots_taken + record.open_clicks,
    quotaActiveFrom: record.slots_from,
    expireAfter: record.expire_after,
    blockBots: record.block_bots,
    privateStats: record.private_stats,
    totalClicks: record.total_clicks,
    lastClick: record.last_click,
  };
}
