import { type Collection, type Connection, mongo } from 'mongoose';
import { DOCUMENTS_A_STATEMENT, slicesOf, valueByDocument } from './click-store.update';
import { CLICK_STORES, type ClickStoreRecord } from './click-store.schema';

const LINKS = 'links';

type Totals = Pick<ClickStoreRecord, '_id' | 'total' | 'open' | 'last'>;

interface StoredLimit {
  _id: mongo.ObjectId;
  max_clicks: number | null;
  /** Lists of links in memory follow this stamp. */
  touched_at: Date;
}

/** Which of some links exist, and which of these have a limit. */
export interface FoundLinks {
  existing: string[];
  limited: string[];
  missing: string[];
}

/** What the documents in `links` repeat of their stores. */
export class LinkTotalsRepository {
  constructor(private readonly connection: Connection) {}

  async find(linkIds: readonly string[]): Promise<FoundLinks> {
    const found = await this.links
      .find({ _id: { $in: objectIds(linkIds) } })
      .project<StoredLimit>({ max_clicks: 1 })
      .toArray();
    const existing = found.map(({ _id }) => _id.toHexString());
    const known = new Set(existing);
    return {
      existing,
      limited: found.filter(hasLimit).map(({ _id }) => _id.toHexString()),
      missing: linkIds.filter((id) => !known.has(id)),
    };
  }

  /**
   * Brings total_clicks, open_clicks and last_click of these links up to their stores. Takes
   * maxima, so repeating it, or two recorders doing it at once, is harmless.
   */
  async follow(linkIds: readonly string[]): Promise<void> {
    const totals = await this.stores
      .find({ _id: { $in: objectIds(linkIds) } })
      .project<Totals>({ total: 1, open: 1, last: 1 })
      .toArray();
    if (totals.length === 0) return;
    const raises = slicesOf(totals, DOCUMENTS_A_STATEMENT).map(raiseOf);
    await this.links.bulkWrite(raises, { ordered: false });
  }

  /** Closes those of the limited links whose slots are used up. */
  async closeUsedUp(linkIds: readonly string[]): Promise<void> {
    if (linkIds.length === 0) return;
    const used = { $add: ['$slots_taken', '$open_clicks'] };
    await this.links.updateMany(
      {
        _id: { $in: objectIds(linkIds) },
        status: 'ACTIVE',
        max_clicks: { $ne: null },
        $expr: { $gte: [used, '$max_clicks'] },
      },
      {
        $set: { status: 'INACTIVE', closed_by_limit: true },
        $currentDate: { touched_at: true },
      },
    );
  }

  private get stores(): Collection<ClickStoreRecord> {
    return this.connection.collection<ClickStoreRecord>(CLICK_STORES);
  }

  private get links(): Collection<StoredLimit> {
    return this.connection.collection<StoredLimit>(LINKS);
  }
}

/** Raises the totals of some links, each to its own. A list in memory sees it by the new stamp. */
function raiseOf(totals: readonly Totals[]): mongo.AnyBulkWriteOperation<StoredLimit> {
  const ids = totals.map(({ _id }) => _id);
  return {
    updateMany: {
      filter: { _id: { $in: ids } },
      update: [
        { $set: { store: valueByDocument(ids, totals) } },
        {
          $set: {
            total_clicks: { $max: ['$total_clicks', '$store.total'] },
            open_clicks: { $max: ['$open_clicks', '$store.open'] },
            last_click: { $max: ['$last_click', '$store.last'] },
            // $$NOW is when the statement began: another change may have come since.
            touched_at: { $max: ['$$NOW', { $add: ['$touched_at', 1] }] },
          },
        },
        { $unset: 'store' },
      ],
    },
  };
}

function hasLimit(link: { max_clicks?: number | null }): boolean {
  return typeof link.max_clicks === 'number';
}

function objectIds(ids: readonly string[]): mongo.ObjectId[] {
  return ids.map((id) => new mongo.ObjectId(id));
}
