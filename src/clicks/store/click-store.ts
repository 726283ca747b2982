import { sliceItems } from '../../infrastructure/mongo/many-documents';
import type { LinksRepository } from '../../stores/links/links.repository';
import type { ClickBatch } from './click-batch';
import type { ClickStoreRepository } from './click-store.repository';

export interface BatchSlices {
  readonly links: number;
  /** Number of concurrent slices: one is prepared while the database processes another. */
  readonly atOnce: number;
}

const FAST: BatchSlices = { links: 500, atOnce: 3 };
/** Small slices that use a single core, so that redirects are not slowed down. */
export const GENTLE: BatchSlices = { links: 100, atOnce: 1 };

/** Records each batch exactly once, even if `record` is repeated. */
export class ClickStore {
  constructor(
    private readonly stores: ClickStoreRepository,
    private readonly links: LinksRepository,
    private readonly removeElsewhere: (linkIds: string[]) => Promise<void> = () =>
      Promise.resolve(),
    private readonly slices: BatchSlices = FAST,
  ) {}

  /**
   * Resolves once the batch is stored durably. Returns the links whose clicks the database rejects
   * permanently. On any other failure, throws after all writes have ended; the batch must then be
   * repeated.
   */
  async record({ node, number, entries }: ClickBatch): Promise<string[]> {
    const refused: string[] = [];
    const waiting = sliceItems(entries, this.slices.links);
    const work = async () => {
      for (let slice = waiting.pop(); slice !== undefined; slice = waiting.pop()) {
        refused.push(...(await this.recordSlice({ node, number, entries: slice })));
      }
    };
    const done = await Promise.allSettled(Array.from({ length: this.slices.atOnce }, work));
    const failed = done.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return refused;
  }

  /** @throws ClicksDeletedError if the batch contains deleted clicks */
  async refuseDeleted({ node, number, entries }: ClickBatch): Promise<void> {
    for (const slice of sliceItems(entries, this.slices.links)) {
      await this.stores.refuseDeleted({ node, number, entries: slice });
    }
  }

  private async recordSlice(batch: ClickBatch): Promise<string[]> {
    const refused = await this.stores.apply(batch);
    const recorded = batch.entries.map(({ linkId }) => linkId);
    // Updates the links last, because account statistics use this time to detect new clicks.
    const found = await this.links.raiseTotals(await this.stores.findTotals(recorded));
    await this.links.closeUsedUp(recorded);
    if (found < recorded.length) {
      // The click store of a link deleted later is deleted with the link.
      const gone = await this.links.missing(recorded);
      await this.stores.remove(gone);
      await this.removeElsewhere(gone);
    }
    return refused;
  }
}
