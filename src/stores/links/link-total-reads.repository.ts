import type { mongo } from 'mongoose';
import { BY_CREATION, LinkCollection, objectId } from './link-collection.repository';
import type { StoredTotals } from './link-updates';
import { type LinkRecord, OWNED } from './link.schema';

const TOTALS = { total_clicks: 1, open_clicks: 1, last_click: 1, clicks_deleted_at: 1 } as const;

export interface LinkSums {
  readonly links: number;
  readonly clicks: number;
}

export interface LinkFigures extends LinkSums {
  readonly anonymous: number;
  readonly blocked: number;
  readonly recent: number;
}

export class LinkTotalReads extends LinkCollection {
  async sums(): Promise<LinkSums> {
    const [sums] = await this.links
      .aggregate<LinkSums>([
        { $group: { _id: null, links: { $sum: 1 }, clicks: { $sum: '$total_clicks' } } },
        { $project: { _id: 0, links: { $toDouble: '$links' }, clicks: { $toDouble: '$clicks' } } },
      ])
      .toArray();
    return sums ?? { links: 0, clicks: 0 };
  }

  /** @param maxMs time limit of the database query */
  async figures(since: Date, maxMs: number): Promise<LinkFigures> {
    const countIf = (condition: object) => ({ $sum: { $cond: [condition, 1, 0] } });
    const [figures] = await this.links
      .aggregate<LinkFigures>(
        [
          {
            $group: {
              _id: null,
              links: { $sum: 1 },
              clicks: { $sum: '$total_clicks' },
              anonymous: countIf({ $lte: ['$owner', null] }),
              blocked: countIf({ $gt: ['$blocked', null] }),
              recent: countIf({ $gte: ['$created_at', since] }),
            },
          },
          { $set: { clicks: { $toDouble: '$clicks' } } },
        ],
        { maxTimeMS: maxMs },
      )
      .toArray();
    return figures ?? { links: 0, clicks: 0, anonymous: 0, blocked: 0, recent: 0 };
  }

  /** Returns the number of links and clicks by owner; throws after `maxTimeMS`. */
  async countsOfOwners(
    ownerIds: readonly string[] | 'all',
    maxTimeMS: number,
  ): Promise<Map<string, { links: number; clicks: number }>> {
    const isAll = ownerIds === 'all';
    const owner = isAll ? OWNED.owner : { $in: ownerIds.map(objectId) };
    const counts = this.links.aggregate<{ _id: mongo.ObjectId; links: number; clicks: number }>(
      [
        { $match: { owner } },
        { $group: { _id: '$owner', links: { $sum: 1 }, clicks: { $sum: '$total_clicks' } } },
      ],
      // With an index, the database would fetch all documents one by one in random order.
      { maxTimeMS, hint: isAll ? { $natural: 1 } : BY_CREATION },
    );
    const all = await counts.toArray();
    return new Map(all.map(({ _id, links, clicks }) => [_id.toHexString(), { links, clicks }]));
  }

  async *ids(): AsyncGenerator<string> {
    const all = this.links.find().project<Pick<LinkRecord, '_id'>>({ _id: 1 });
    for await (const { _id } of all) yield _id.toHexString();
  }

  /** Whether clicks of the link await removal. */
  async isClearing(id: mongo.ObjectId): Promise<boolean> {
    return (await this.links.countDocuments({ _id: id, clicks_clearing: true })) > 0;
  }

  async findTotals(id: string): Promise<StoredTotals | null> {
    const which = { _id: objectId(id) };
    const found = await this.links.findOne<StoredTotals>(which, { projection: TOTALS });
    return found && { ...found, clicks_deleted_at: found.clicks_deleted_at ?? null };
  }
}
