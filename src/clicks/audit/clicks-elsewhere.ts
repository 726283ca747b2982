import type { ClickCare, StoredLinkTotals } from '../../engines/click-house/click-care';
import type { ChunkTotals, Difference } from './click-store-check';

/** Reads all totals once, and a link's totals again if they do not match. */
export class ClicksElsewhere {
  private totals?: Map<string, StoredLinkTotals>;

  constructor(private readonly care: ClickCare) {}

  async findTotals(linkId: string): Promise<ChunkTotals[]> {
    this.totals ??= await this.care.totalsByLink();
    let found = this.totals.get(linkId);
    if (found === undefined) found = (await this.care.totalsByLink(linkId)).get(linkId);
    // A second call means that the totals did not match, so they are read again.
    else this.totals.delete(linkId);
    return found === undefined ? [] : [{ ...found, bytes: 0 }];
  }

  async *others(): AsyncGenerator<{ linkId: string; clicks: number }> {
    this.totals ??= await this.care.totalsByLink();
    for (const [linkId, { n: clicks }] of this.totals) yield { linkId, clicks };
  }

  async doubled(): Promise<Difference[]> {
    const found = await this.care.doubledRows();
    return [...found].map(([linkId, rows]) => ({
      linkId,
      what: `duplicate clicks in ClickHouse: ${rows}`,
    }));
  }

  async remove(linkId: string): Promise<boolean> {
    await this.care.remove([linkId]);
    return true;
  }
}
