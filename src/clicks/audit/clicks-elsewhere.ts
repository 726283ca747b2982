import type { ClickCare, StoredLinkTotals } from '../../engines/click-house/click-care';
import type { ChunkTotals, Difference } from './click-store-check';

/** Clicks that are kept beside click stores: totals by link are read once, and anew where they are doubted. */
export class ClicksElsewhere {
  private totals?: Map<string, StoredLinkTotals>;

  constructor(private readonly care: ClickCare) {}

  /** Returns what a click store has to note of them. */
  async findTotals(linkId: string): Promise<ChunkTotals[]> {
    this.totals ??= await this.care.totalsByLink();
    let found = this.totals.get(linkId);
    if (found === undefined) found = (await this.care.totalsByLink(linkId)).get(linkId);
    // Asked again, it is because something did not agree.
    else this.totals.delete(linkId);
    return found === undefined ? [] : [{ ...found, bytes: 0 }];
  }

  /** Links that nobody has asked about, with their clicks. */
  async *others(): AsyncGenerator<{ linkId: string; clicks: number }> {
    this.totals ??= await this.care.totalsByLink();
    for (const [linkId, { n: clicks }] of this.totals) yield { linkId, clicks };
  }

  async doubled(): Promise<Difference[]> {
    const found = await this.care.doubledRows();
    return [...found].map(([linkId, rows]) => ({
      linkId,
      what: `${rows} clicks are in ClickHouse more than once`,
    }));
  }

  async remove(linkId: string): Promise<boolean> {
    await this.care.remove([linkId]);
    return true;
  }
}
