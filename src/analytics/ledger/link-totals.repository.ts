import { type Collection, type Connection, mongo } from 'mongoose';
import { inSlices } from './bulk-write';
import { LEDGERS, type StoredLedger } from './stored-ledger';

const LINKS = 'links';
const LINKS_AT_ONCE = 2000;

interface LinkKey {
  _id: mongo.ObjectId;
}

/** What the documents in `links` repeat of their ledgers. */
export class LinkTotalsRepository {
  constructor(private readonly connection: Connection) {}

  /**
   * Brings total_clicks, open_clicks and last_click of these links up to their ledgers, and closes
   * a limited link whose slots are used up by it. Takes maxima, so repeating it is harmless.
   */
  async follow(linkIds: readonly string[]): Promise<void> {
    for (const ids of inSlices(linkIds, LINKS_AT_ONCE)) {
      await this.ledgers
        .aggregate([
          { $match: { _id: { $in: objectIds(ids) } } },
          { $project: { total: 1, open: 1, last: 1 } },
          {
            $merge: {
              into: LINKS,
              on: '_id',
              whenMatched: [{ $set: RAISED }, { $set: CLOSED_AT_LIMIT }],
              whenNotMatched: 'discard',
            },
          },
        ])
        .toArray();
    }
  }

  /** Those of the links that do not exist, or no longer. */
  async missing(linkIds: readonly string[]): Promise<string[]> {
    const missing = new Set(linkIds);
    for (const ids of inSlices(linkIds, LINKS_AT_ONCE)) {
      const found = await this.links
        .find({ _id: { $in: objectIds(ids) } })
        .project<LinkKey>({ _id: 1 })
        .toArray();
      for (const { _id } of found) missing.delete(_id.toHexString());
    }
    return [...missing];
  }

  private get ledgers(): Collection<StoredLedger> {
    return this.connection.collection<StoredLedger>(LEDGERS);
  }

  private get links(): Collection<LinkKey> {
    return this.connection.collection<LinkKey>(LINKS);
  }
}

/** `$$new` is the ledger. $max passes over null and missing values. */
const RAISED = {
  total_clicks: { $max: ['$total_clicks', '$$new.total'] },
  open_clicks: { $max: ['$open_clicks', '$$new.open'] },
  last_click: { $max: ['$last_click', '$$new.last'] },
};

const USED_UP = {
  $and: [
    { $eq: ['$status', 'ACTIVE'] },
    { $ne: [{ $ifNull: ['$max_clicks', null] }, null] },
    { $gte: [{ $add: ['$slots_taken', '$open_clicks'] }, '$max_clicks'] },
  ],
};

const CLOSED_AT_LIMIT = {
  status: { $cond: [USED_UP, 'INACTIVE', '$status'] },
  // Stages of one pipeline see what the one before has set, but not each other's fields.
  closed_by_limit: { $cond: [USED_UP, true, '$closed_by_limit'] },
};

function objectIds(ids: readonly string[]): mongo.ObjectId[] {
  return ids.map((id) => new mongo.ObjectId(id));
}
