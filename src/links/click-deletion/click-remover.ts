import { Injectable } from '@nestjs/common';
import { ClickStoreRepository } from '../../clicks/store/click-store.repository';
import { DroppedClicksRepository } from '../../clicks/store/dropped-clicks.repository';
import { ChangeBus } from '../../infrastructure/change-bus/bus';
import { ImportedCountsRepository } from '../../stores/imported-counts/imported-counts.repository';
import type { ClearingLink } from '../../stores/links/link-total-writes.repository';
import { LinksRepository } from '../../stores/links/links.repository';
import { LinkCache } from '../cache/link-cache';

/** Removes clicks that a stored deletion has dropped. Every call may be repeated. */
@Injectable()
export class ClickRemover {
  constructor(
    private readonly links: LinksRepository,
    private readonly stores: ClickStoreRepository,
    private readonly dropped: DroppedClicksRepository,
    private readonly counts: ImportedCountsRepository,
    private readonly cache: LinkCache,
    private readonly bus: ChangeBus,
  ) {}

  /** Afterwards, no response of any process includes the dropped clicks. */
  async hide(
    ownerId: string | null,
    links: readonly Omit<ClearingLink, 'ownerId'>[],
  ): Promise<void> {
    const ids = links.map(({ id }) => id);
    for (const time of new Set(links.map(({ at }) => at.getTime()))) {
      const some = links.filter(({ at }) => at.getTime() === time);
      await this.dropped.drop(
        some.map(({ id }) => id),
        new Date(time),
      );
    }
    // A link that was deleted meanwhile must not leave a click store behind.
    await this.stores.remove(await this.links.missing(ids));
    await this.raiseTotals(ids);
    await this.counts.drop(ownerId, ids);
    await this.cache.invalidate(...links.map(({ alias }) => alias));
    if (ownerId !== null) await this.bus.publish('clicks.deleted', ownerId);
  }

  /** Counts visits that began after the deletion, but were recorded before it was complete. */
  async raiseTotals(linkIds: readonly string[]): Promise<void> {
    await this.links.raiseTotals(await this.stores.findTotals(linkIds));
  }
}
