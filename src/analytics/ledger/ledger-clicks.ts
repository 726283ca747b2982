import { ClicksOfLinks } from '../../links/lookup/clicks-of-links';
import type { LedgerRepository } from './ledger.repository';

/** What is recorded of links, as far as whoever removes links has to do with it. */
export class LedgerClicks extends ClicksOfLinks {
  constructor(private readonly ledgers: Pick<LedgerRepository, 'remove'>) {
    super();
  }

  remove(linkIds: readonly string[]): Promise<void> {
    return this.ledgers.remove(linkIds);
  }
}
