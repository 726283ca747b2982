import { Injectable } from '@nestjs/common';
import { JournalCatchUp } from '../clicks/journal/journal-catch-up';
import { AppLog } from '../common/log';
import type { Link, LinkChange } from './link';
import { LinkCache } from './link-cache';
import { LinksRepository } from './links.repository';

/**
 * The moments after a link without a limit got one. Its clicks so far took no slot and count only
 * once they are recorded; so no slot is given out until they are. Every web process has been told
 * of the limit before this begins. Where recording is too slow, the link opens by itself after
 * QUOTA_ACTIVATION_MS, and later records of earlier clicks still count.
 */
@Injectable()
export class QuotaActivation {
  constructor(
    private readonly catchUp: JournalCatchUp,
    private readonly repository: LinksRepository,
    private readonly cache: LinkCache,
    private readonly log: AppLog,
  ) {}

  /** Answers the link as it is once it gives out slots. */
  async activate(link: Link, change: LinkChange): Promise<Link> {
    if (link.quotaActiveFrom === null || typeof change.maxClicks !== 'number') return link;
    try {
      await this.catchUp.run();
    } catch (error) {
      this.log.warn('Clicks before a first limit may be counted late', { err: error });
      return link;
    }
    const active = await this.repository.activateQuota(link.id, change.status !== undefined);
    await this.cache.invalidate(link.alias);
    return active ?? link;
  }
}
