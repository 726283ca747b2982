import { type Collection, type Connection, mongo } from 'mongoose';
import { LinksRepository } from '../../links/links.repository';
import { CLICK_STORES, type ClickStoreRecord } from './click-store.schema';

type Totals = Pick<ClickStoreRecord, '_id' | 'total' | 'open' | 'last'>;

/** Which of some links exist, and which of these have a limit. */
export interface FoundLinks {
  existing: string[];
  limited: string[];
  missing: string[];
}

/** What links repeat of their click stores. */
export class LinkTotalsRepository {
  private readonly links: LinksRepository;

  constructor(private readonly connection: Connection) {
    this.links = new LinksRepository(connection);
  }

  async find(linkIds: readonly string[]): Promise<FoundLinks> {
    const limits = await this.links.limitsOf(linkIds);
    const existing = [...limits.keys()];
    return {
      existing,
      limited: existing.filter((id) => typeof limits.get(id) === 'number'),
      missing: linkIds.filter((id) => !limits.has(id)),
    };
  }

  /** Brings total_clicks, open_clicks and last_click of these links up to their stores. */
  async follow(linkIds: readonly string[]): Promise<void> {
    const totals = await this.stores
      .find({ _id: { $in: linkIds.map((id) => new mongo.ObjectId(id)) } })
      .project<Totals>({ total: 1, open: 1, last: 1 })
      .toArray();
    await this.links.raiseTotals(
      totals.map(({ _id, total, open, last }) => ({
        _id,
        total_clicks: total,
        open_clicks: open,
        last_click: last,
      })),
    );
  }

  /** Closes those of the limited links whose slots are used up. */
  closeUsedUp(linkIds: readonly string[]): Promise<void> {
    return this.links.closeUsedUp(linkIds);
  }

  private get stores(): Collection<ClickStoreRecord> {
    return this.connection.collection<ClickStoreRecord>(CLICK_STORES);
  }
}
