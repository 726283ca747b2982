import { slicesOf } from '../../infrastructure/mongo/many-documents';
import type { LinksRepository } from '../../link-store/links.repository';
import type { ClickBatch } from './click-batch';
import type { ClickStoreRepository } from './click-store.repository';

const LINKS_AT_ONCE = 500;
/** While the database works on one slice, the next is made ready. */
const SLICES_AT_ONCE = 3;

/** Records batches of clicks, each exactly once, however often it is repeated. */
export class ClickStore {
  constructor(
    private readonly stores: ClickStoreRepository,
    private readonly links: LinksRepository,
  ) {}

  /**
   * Resolves when the batch is durable in stores and totals. Returns the links whose clicks the
   * database refuses for good; any other failure throws once nothing of the batch is under way
   * any more, and the whole batch is to be repeated.
   */
  async record({ node, number, entries }: ClickBatch): Promise<string[]> {
    const refused: string[] = [];
    const waiting = slicesOf(entries, LINKS_AT_ONCE);
    const work = async () => {
      for (let slice = waiting.pop(); slice !== undefined; slice = waiting.pop()) {
        refused.push(...(await this.recordSlice({ node, number, entries: slice })));
      }
    };
    const done = await Promise.allSettled(Array.from({ length: SLICES_AT_ONCE }, work));
    const failed = done.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return refused;
  }

  private async recordSlice(batch: ClickBatch): Promise<string[]> {
    const refused = await this.stores.apply(batch);
    const recorded = batch.entries.map(({ linkId }) => linkId);
    // Looked up after: a link deleted from here on takes its click store along by itself.
    const limits = await this.links.limitsOf(recorded);
    const limited = recorded.filter((id) => typeof limits.get(id) === 'number');
    // After the stores, too: it stamps the links, by which statistics of accounts hear of new clicks.
    await this.links.raiseTotals(await this.stores.totalsOf([...limits.keys()]));
    await this.links.closeUsedUp(limited);
    await this.stores.remove(recorded.filter((id) => !limits.has(id)));
    return refused;
  }
}
