import { sliceItems } from '../../infrastructure/mongo/many-documents';
import type { LinksRepository } from '../../stores/links/links.repository';
import type { ClickBatch } from './click-batch';
import type { ClickStoreRepository } from './click-store.repository';

/** How the links of a batch are divided. */
export interface BatchSlices {
  readonly links: number;
  /** While the database works on one slice, the next is made ready. */
  readonly atOnce: number;
}

const FAST: BatchSlices = { links: 500, atOnce: 3 };
/** For work that redirects must not notice: the database does little at a time, on one core. */
export const GENTLE: BatchSlices = { links: 100, atOnce: 1 };

/** Records batches of clicks, each exactly once, however often it is repeated. */
export class ClickStore {
  constructor(
    private readonly stores: ClickStoreRepository,
    private readonly links: LinksRepository,
    /** Removes clicks of links that are gone, where they are not in the stores. */
    private readonly removeElsewhere: (linkIds: string[]) => Promise<void> = () =>
      Promise.resolve(),
    private readonly slices: BatchSlices = FAST,
  ) {}

  /**
   * Resolves when the batch is durable in stores and totals. Returns the links whose clicks the
   * database refuses for good; any other failure throws once nothing of the batch is under way
   * any more, and the whole batch is to be repeated.
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

  private async recordSlice(batch: ClickBatch): Promise<string[]> {
    const refused = await this.stores.apply(batch);
    const recorded = batch.entries.map(({ linkId }) => linkId);
    // Looked up after: a link deleted from here on takes its click store along by itself.
    const limits = await this.links.findLimits(recorded);
    const limited = recorded.filter((id) => typeof limits.get(id) === 'number');
    // After the stores, too: it stamps the links, by which statistics of accounts hear of new clicks.
    await this.links.raiseTotals(await this.stores.findTotals([...limits.keys()]));
    await this.links.closeUsedUp(limited);
    const gone = recorded.filter((id) => !limits.has(id));
    await this.stores.remove(gone);
    await this.removeElsewhere(gone);
    return refused;
  }
}
