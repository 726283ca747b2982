import { Injectable } from '@nestjs/common';
import { AppLog } from '../../core/log';
import { JournalCatchUp } from '../../platform/journal/journal-catch-up';
import type { Link } from '../lookup/link';
import { LinkCache } from '../lookup/link-directory';
import { ChangesRepository } from './changes.repository';
import type { LinkChange } from './link-change';

/**
 * The moments after a link without a limit got one. Its clicks so far took no slot and count only
 * once they are recorded; so no slot is given out until they are. Every web process has been told
 * of the limit before this begins. Where recording is too slow, the link opens by itself after
 * SETTLING_MS, and later records of earlier clicks still count.
 */
@Injectable()
export class QuotaActivation {
  constructor(
    private readonly catchUp: JournalCatchUp,
    private readonly repository: ChangesRepository,
    private readonly directory: LinkCache,
    private readonly log: AppLog,
  ) {}

  /** Answers the link as it is once it has settled. */
  async activate(link: Link, change: LinkChange): Promise<Link> {
    if (link.quotaActiveFrom === null || typeof change.maxClicks !== 'number') return link;
    try {
      await this.catchUp.run();
    } catch (error) {
      this.log.warn('Clicks before a first limit may be counted late', { err: error });
      return link;
    }
    const settled = await this.repository.settle(link.id, change.status !== undefined);
    await this.directory.invalidate(link.alias);
    return settled ?? link;
  }
}
