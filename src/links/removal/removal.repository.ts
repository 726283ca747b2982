import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { LinkRecord } from '../link.schema';
import { RemovedLinkRecord } from './removed-link.schema';

const SWEPT_AT_ONCE = 500;

/** Removes links, leaving a note of each for some time. */
@Injectable()
export class RemovalRepository {
  constructor(
    @InjectModel(LinkRecord.name) private readonly links: Model<LinkRecord>,
    @InjectModel(RemovedLinkRecord.name) private readonly removed: Model<RemovedLinkRecord>,
  ) {}

  /** Notes the removal first, so that no crash leaves it unnoticed; null when the link is gone. */
  async remove(id: string, ownerId: string): Promise<{ alias: string } | null> {
    await this.removed.updateOne(
      { _id: id },
      { $set: { owner: new Types.ObjectId(ownerId) }, $currentDate: { at: true } },
      { upsert: true },
    );
    return this.links.findOneAndDelete({ _id: id }, { projection: { alias: 1 } }).lean();
  }

  /** Ids noted before that moment, some of them. */
  async notedBefore(moment: Date): Promise<string[]> {
    const notes = await this.removed
      .find({ at: { $lt: moment } }, { _id: 1 })
      .limit(SWEPT_AT_ONCE)
      .lean();
    return notes.map(({ _id }) => _id.toHexString());
  }

  /** Those of the links that are really gone. */
  async gone(ids: readonly string[]): Promise<string[]> {
    const there = await this.links.find({ _id: { $in: ids } }, { _id: 1 }).lean();
    const known = new Set(there.map(({ _id }) => _id.toHexString()));
    return ids.filter((id) => !known.has(id));
  }

  async forgetNotes(ids: readonly string[]): Promise<void> {
    await this.removed.deleteMany({ _id: { $in: ids } });
  }
}
