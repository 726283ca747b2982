import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model } from 'mongoose';
import { WITHOUT_INDEXES } from '../infrastructure/mongo/write-barrier';
import { Link } from './link';
import { toLink } from './link.schema';
import { LinkRecord } from './link.schema';

/** What a redirect, a statistic or a page asks of the stored links. */
@Injectable()
export class LinkLookupRepository {
  constructor(@InjectModel(LinkRecord.name) private readonly links: Model<LinkRecord>) {}

  /** The links among these aliases that exist, by one indexed read. */
  async findByAliases(aliases: readonly string[]): Promise<Link[]> {
    const records = await this.links.find({ alias: { $in: aliases } }).lean<LinkRecord[]>();
    return records.map(toLink);
  }

  async findByAlias(alias: string): Promise<Link | null> {
    return (await this.findByAliases([alias]))[0] ?? null;
  }

  async findById(id: string): Promise<Link | null> {
    const record = await this.links.findOne({ _id: id }).lean<LinkRecord>();
    return record === null ? null : toLink(record);
  }

  /**
   * Takes one click slot of a limited link, atomically, and closes the link with the last one.
   * Answers the link as it is then, or null when no slot was to be had: the link is gone,
   * INACTIVE, expired, no longer limited, used up, or gives out none yet. Redirects need no index
   * for it, so they go on while the indexes cannot be made.
   */
  async takeClick(id: string, now: Date): Promise<Link | null> {
    const used = { $add: ['$slots_taken', '$open_clicks'] };
    const last = { $gte: [{ $add: [used, 1] }, '$max_clicks'] };
    const record = await this.links
      .findOneAndUpdate(
        {
          _id: id,
          status: 'ACTIVE',
          max_clicks: { $ne: null },
          $or: [{ expire_after: null }, { expire_after: { $gt: now } }],
          $expr: { $and: [{ $lt: [used, '$max_clicks'] }, { $lte: ['$slots_from', '$$NOW'] }] },
        },
        [
          {
            $set: {
              slots_taken: { $add: ['$slots_taken', 1] },
              status: { $cond: [last, 'INACTIVE', '$status'] },
              closed_by_limit: { $cond: [last, true, '$closed_by_limit'] },
              touched_at: { $cond: [last, '$$NOW', '$touched_at'] },
            },
          },
        ],
        { returnDocument: 'after', updatePipeline: true, ...WITHOUT_INDEXES },
      )
      .lean<LinkRecord>();
    return record === null ? null : toLink(record);
  }

  /** Closes a link that is ACTIVE although its slots are used up (docs/contract.md#7, last row but one). */
  async closeUsedUp(id: string): Promise<void> {
    await this.links.updateOne(
      {
        _id: id,
        status: 'ACTIVE',
        max_clicks: { $ne: null },
        $expr: { $gte: [{ $add: ['$slots_taken', '$open_clicks'] }, '$max_clicks'] },
      },
      {
        $set: { status: 'INACTIVE', closed_by_limit: true },
        $currentDate: { touched_at: true },
      },
      WITHOUT_INDEXES,
    );
  }
}
