import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { UnknownLinkError } from '../link-store/link.errors';
import { isClosed, isUsedUp, type Link, type RememberedLink } from '../link-store/link';
import { LinkCache } from '../links/link-cache';
import { LinksRepository } from '../link-store/links.repository';
import { LinkGoneError } from './redirect.errors';

const TRIES = 3;
/** How often a visitor asks again while a link gives out no slots yet. */
const SLOT_WAIT_MS = 250;
const MAX_WAITS = 24;

/** The link to redirect to, and whether a slot was taken for it. */
export interface QuotaDecision {
  readonly link: RememberedLink;
  readonly slot: boolean;
}

/** Slots of links with max_clicks: taken in the database, one by one, before the redirect. */
@Injectable()
export class ClickQuota {
  constructor(
    private readonly repository: LinksRepository,
    private readonly linkCache: LinkCache,
  ) {}

  /**
   * Takes a slot; throws LinkGoneError (or UnknownLinkError) when none is to be had. Waits for a
   * link that was without a limit until just now: clicks that took no slot are being counted.
   */
  async takeSlot(remembered: RememberedLink): Promise<QuotaDecision> {
    let waits = 0;
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const taken = await this.repository.takeClick(remembered.id, new Date());
      if (taken !== null) {
        if (taken.status === 'INACTIVE') await this.linkCache.invalidate(taken.alias);
        return { link: taken, slot: true };
      }
      // Refused: the link as it is now says why, the remembered one may be out of date.
      const link = await this.fresh(remembered);
      if (link.maxClicks === null) return { link, slot: false };
      if (isUsedUp(link)) {
        await this.repository.closeUsedUp([link.id]);
        await this.linkCache.invalidate(link.alias);
        throw new LinkGoneError();
      }
      // The database's clock decides when that is over, ours need not agree with it.
      if (link.quotaActiveFrom !== null && waits++ < MAX_WAITS) {
        await sleep(SLOT_WAIT_MS);
        attempt--;
      }
    }
    throw new LinkGoneError();
  }

  /** A HEAD takes no slot, but is told when there is none left. */
  async check(remembered: RememberedLink): Promise<QuotaDecision> {
    const link = await this.fresh(remembered);
    if (isUsedUp(link)) throw new LinkGoneError();
    return { link, slot: false };
  }

  private async fresh(remembered: RememberedLink): Promise<Link> {
    const link = await this.repository.findById(remembered.id);
    if (link === null || link.alias !== remembered.alias) throw new UnknownLinkError('address');
    if (isClosed(link, Date.now())) throw new LinkGoneError();
    return link;
  }
}
