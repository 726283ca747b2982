import { Injectable } from '@nestjs/common';
import { InjectModel, Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Model, SchemaTypes, Types } from 'mongoose';
import { HOUR_MS, MINUTE_MS } from '../../common/time';

const FIRST_DELAY_MS = 30_000;
/** For a process that is killed before it has sent the email. */
const LEASE_MS = 5 * MINUTE_MS;
/** A block can be read this long after its time; newer blocks are left to the next email. */
const VISIBLE_MS = 5000;

@Schema({ collection: 'block_notices', versionKey: false, autoIndex: false, autoCreate: false })
export class BlockNoticeRecord {
  /** The owner of the blocked links. */
  @Prop({ required: true, type: SchemaTypes.ObjectId })
  _id!: Types.ObjectId;

  /** The owner has been notified of links that were blocked up to this time. */
  @Prop({ required: true, type: Date })
  since!: Date;

  /** When the next email may be sent. */
  @Prop({ required: true, type: Date })
  due!: Date;

  /** When a link was last blocked. */
  @Prop({ required: true, type: Date })
  noted!: Date;
}

export const BlockNoticeSchema = SchemaFactory.createForClass(BlockNoticeRecord);
BlockNoticeSchema.index({ due: 1 }, { name: 'due' });

/** An email that is due about the links blocked after `since` and up to `until`. */
export interface BlockNotice {
  readonly ownerId: string;
  readonly since: Date;
  readonly until: Date;
}

/** Pending emails to owners of blocked links. All times are the database's. */
@Injectable()
export class BlockNoticesRepository {
  constructor(
    @InjectModel(BlockNoticeRecord.name) private readonly notices: Model<BlockNoticeRecord>,
  ) {}

  /** Call before the links are blocked, so that a crash loses no email. */
  async note(ownerIds: readonly (string | null)[]): Promise<void> {
    const owners = new Set(ownerIds.filter((id) => id !== null));
    if (owners.size === 0) return;
    const update = {
      $set: {
        since: { $ifNull: ['$since', { $subtract: ['$$NOW', 1] }] },
        due: { $ifNull: ['$due', { $add: ['$$NOW', FIRST_DELAY_MS] }] },
        noted: '$$NOW',
      },
    };
    const writes = [...owners].map((id) => ({
      updateOne: { filter: { _id: new Types.ObjectId(id) }, update: [update], upsert: true },
    }));
    await this.notices.collection.bulkWrite(writes, { ordered: false });
  }

  /** Returns a due email, which is due again after a lease. Atomic across all machines. */
  async claim(): Promise<BlockNotice | null> {
    const record = await this.notices
      .findOneAndUpdate(
        { $expr: { $lte: ['$due', '$$NOW'] } },
        [{ $set: { due: { $add: ['$$NOW', LEASE_MS] } } }],
        { updatePipeline: true, returnDocument: 'after' },
      )
      .lean<BlockNoticeRecord>();
    if (record === null) return null;
    const { _id, since, due } = record;
    const until = new Date(due.getTime() - LEASE_MS - VISIBLE_MS);
    return { ownerId: _id.toHexString(), since, until };
  }

  /** The next email is due in an hour, also if this one could not be sent. */
  async finish({ ownerId, until }: BlockNotice, isSent: boolean): Promise<void> {
    await this.notices.updateOne(
      { _id: ownerId },
      [{ $set: { due: { $add: ['$$NOW', HOUR_MS] }, ...(isSent && { since: until }) } }],
      { updatePipeline: true },
    );
  }

  /** Keeps the notice if links may have been blocked after `until`. */
  async forget({ ownerId, until }: BlockNotice): Promise<void> {
    await this.notices.deleteOne({ _id: ownerId, noted: { $lte: until } });
  }

  async removeByAccount(accountId: string): Promise<void> {
    await this.notices.deleteOne({ _id: accountId });
  }
}
