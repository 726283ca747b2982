import type { LedgerBatch } from './ledger-batch';
import type { LedgerRepository } from './ledger.repository';
import type { LinkTotalsRepository } from './link-totals.repository';

/** Records batches of clicks, each exactly once, however often it is repeated. */
export class Ledger {
  constructor(
    private readonly ledgers: LedgerRepository,
    private readonly totals: LinkTotalsRepository,
  ) {}

  /**
   * Resolves when the batch is durable: chunks, then totals, then the traces of links that were
   * deleted while their clicks were still under way. Returns the links whose clicks the database
   * refuses for good; any other failure throws, and the whole batch is to be repeated.
   */
  async record(batch: LedgerBatch): Promise<string[]> {
    const linkIds = batch.entries.map(({ linkId }) => linkId);
    const refused = await this.ledgers.apply(batch);
    await this.totals.follow(linkIds);
    // Looked up last: a link deleted after this takes its ledger along by itself.
    await this.ledgers.remove(await this.totals.missing(linkIds));
    return refused;
  }
}
