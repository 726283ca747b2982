import { LinkClicks } from '../../links/lookup/clicks-of-links';
import type { ClickStoreRepository } from './ledger.repository';

/** What is recorded of links, as far as whoever removes links has to do with it. */
export class LinkClicksDeleter extends LinkClicks {
  constructor(private readonly ledgers: Pick<ClickStoreRepository, 'remove'>) {
    super();
  }

  remove(linkIds: readonly string[]): Promise<void> {
    return this.ledgers.remove(linkIds);
  }
}
