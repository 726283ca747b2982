import type { mongo } from 'mongoose';
import {
  DOCUMENTS_A_STATEMENT,
  sliceItems,
  valueByDocument,
} from '../../infrastructure/mongo/many-documents';
import { among, LinkCollection, NOT_BLOCKED, objectId } from './link-collection.repository';
import {
  CLOSING,
  type LinkPipeline,
  type LinkTotals,
  raising,
  repairing,
  stampedUpdate,
  type StoredTotals,
} from './link-updates';
import type { LinkRecord } from './link.schema';

const BY_CLEARING = 'clicks_clearing';

/** A link whose dropped clicks have not all been removed. */
export interface ClearingLink {
  readonly id: string;
  readonly alias: string;
  readonly ownerId: string | null;
  readonly at: Date;
}

/** Writes the totals that links copy from their click stores. */
export abstract class LinkTotalWrites extends LinkCollection {
  /** @param refuseWrites throws if the unique indexes do not exist yet */
  constructor(
    database: { readonly db: mongo.Db | undefined },
    private readonly refuseWrites: () => void = () => undefined,
    ignoresCase = false,
  ) {
    super(database, ignoresCase);
  }

  /** Deactivates ACTIVE links that have no slots left. Works without indexes. */
  async closeUsedUp(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.links.updateMany({ ...among(ids), ...CLOSING.condition }, CLOSING.update);
  }

  /**
   * Only raises totals, so that two recorders may run this concurrently. Returns the number of
   * links that exist.
   */
  async raiseTotals(totals: readonly StoredTotals[]): Promise<number> {
    if (totals.length === 0) return 0;
    const raises = sliceItems(totals, DOCUMENTS_A_STATEMENT).map((slice) => {
      const ids = slice.map(({ _id }) => _id);
      const update = raising(valueByDocument(ids, slice));
      return { updateMany: { filter: { _id: { $in: ids } }, update } };
    });
    const { matchedCount } = await this.writable.bulkWrite(raises, { ordered: false });
    return matchedCount;
  }

  /** Returns false if the totals have changed since they were read. */
  async repairTotals(read: StoredTotals, totals: LinkTotals): Promise<boolean> {
    return (await this.writable.updateOne(read, repairing(totals))).modifiedCount === 1;
  }

  /** Drops the clicks from visits up to `at`. Skips blocked links and links of other accounts. */
  async dropClicks(ownerId: string, ids: readonly string[], at: Date): Promise<void> {
    const which = { ...among(ids), owner: objectId(ownerId), ...NOT_BLOCKED };
    await this.writable.updateMany(which, droppingClicks(at));
  }

  /** Returns links whose dropped clicks must still be removed, earliest deletion first. */
  async clearing(limit: number): Promise<ClearingLink[]> {
    const fields = { alias: 1, owner: 1, clicks_deleted_at: 1 } as const;
    const oldest = { hint: BY_CLEARING, sort: { clicks_deleted_at: 1 }, limit } as const;
    const found = await this.links
      .find({ clicks_clearing: true }, { projection: fields, ...oldest })
      .toArray();
    return found.map(({ _id, alias, owner, clicks_deleted_at: at }) => ({
      id: _id.toHexString(),
      alias,
      ownerId: owner?.toHexString() ?? null,
      at: at ?? new Date(0),
    }));
  }

  /** Ends the removal, unless the link's clicks have been deleted again. */
  async endClearing(links: readonly Pick<ClearingLink, 'at' | 'id'>[]): Promise<void> {
    const ends = links.map(({ id, at }) => ({
      updateOne: {
        filter: { _id: objectId(id), clicks_deleted_at: at },
        update: [{ $unset: 'clicks_clearing' }],
      },
    }));
    if (ends.length > 0) await this.writable.bulkWrite(ends, { ordered: false });
  }

  protected get writable(): mongo.Collection<LinkRecord> {
    this.refuseWrites();
    return this.links;
  }
}

/** A link that its limit has closed opens again (docs/contract.md#37.2). */
export function droppingClicks(at: Date): LinkPipeline {
  return [
    stampedUpdate({
      total_clicks: { $literal: 0 },
      open_clicks: { $literal: 0 },
      slots_taken: { $literal: 0 },
      last_click: { $literal: null },
      clicks_deleted_at: { $max: ['$clicks_deleted_at', { $literal: at }] },
      clicks_clearing: { $literal: true },
      status: { $cond: ['$closed_by_limit', 'ACTIVE', '$status'] },
      closed_by_limit: { $literal: false },
    }),
  ];
}
