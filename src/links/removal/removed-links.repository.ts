import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { RemovedLinkRecord } from './removed-link.schema';

const SWEPT_AT_ONCE = 500;

/** Notes of links that were to be removed: what is noted may still be there. */
@Injectable()
export class RemovedLinksRepository {
  constructor(
    @InjectModel(RemovedLinkRecord.name) private readonly notes: Model<RemovedLinkRecord>,
  ) {}

  async note(ids: readonly string[], ownerId: string): Promise<void> {
    const update = { $set: { owner: new Types.ObjectId(ownerId) }, $currentDate: { at: true } };
    const notes = ids.map((id) => ({
      updateOne: { filter: { _id: new Types.ObjectId(id) }, update, upsert: true },
    }));
    await this.notes.bulkWrite(notes, { ordered: false });
  }

  /** Ids of the account's links noted since then. */
  async notedSince(ownerId: string, since: Date): Promise<string[]> {
    const notes = await this.notes
      .find({ owner: new Types.ObjectId(ownerId), at: { $gte: since } }, { _id: 1 })
      .lean();
    return notes.map(({ _id }) => _id.toHexString());
  }

  /** Ids noted before that moment, some of them. */
  async notedBefore(moment: Date): Promise<string[]> {
    const notes = await this.notes
      .find({ at: { $lt: moment } }, { _id: 1 })
      .limit(SWEPT_AT_ONCE)
      .lean();
    return notes.map(({ _id }) => _id.toHexString());
  }

  async forget(ids: readonly string[]): Promise<void> {
    await this.notes.deleteMany({ _id: { $in: ids } });
  }
}
