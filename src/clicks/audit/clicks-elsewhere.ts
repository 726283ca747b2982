import type { ClickCare, StoredLinkTotals } from '../../engines/click-house/click-care';
import type { ChunkTotals, Difference } from './click-store-check';

/** Reads all totals once, and a link's totals again if they do not match. */
export class ClicksElsewhere {
  private totals?: Map<string, StoredLinkTotals>;

  /** @param deleted returns, by link id in milliseconds, up to when clicks are deleted */
  constructor(
    private readonly care: ClickCare,
    private readonly deleted: () => Promise<ReadonlyMap<string, number>>,
  ) {}

  async findTotals(linkId: string, since?: Date): Promise<ChunkTotals[]> {
    const totals = await this.readAll();
    const deleted = since && new Map([[linkId, since.getTime()]]);
    let found = totals.get(linkId);
    if (found === undefined) found = (await this.care.totalsByLink(linkId, deleted)).get(linkId);
    // A second call means that the totals did not match, so they are read again.
    else totals.delete(linkId);
    return found === undefined ? [] : [{ ...found, bytes: 0 }];
  }

  async *others(): AsyncGenerator<{ linkId: string; clicks: number }> {
    for (const [linkId, { n: clicks }] of await this.readAll()) yield { linkId, clicks };
  }

  private async readAll(): Promise<Map<string, StoredLinkTotals>> {
    this.totals ??= await this.care.totalsByLink(undefined, await this.deleted());
    return this.totals;
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
