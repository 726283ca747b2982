import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { UnknownLinkError } from '../stores/links/link.errors';
import { isUsedUp, type Link, type RememberedLink } from '../stores/links/link';
import { LinkCache } from '../links/link-cache';
import { LinksRepository } from '../stores/links/links.repository';
import { type Diversion, diversionAfterEnd, decideDiversion } from './diversion';
import { LinkGoneError } from './redirect.errors';

const SLOT_TRIES = 3;
/** How often a visitor asks again while a link gives out no slots yet. */
const SLOT_WAIT_MS = 250;
const MAX_WAITS = 24;

/** The link to redirect to, and whether a slot was taken for it; or where else the visit leads. */
export interface QuotaDecision {
  readonly link: RememberedLink;
  readonly slot: boolean;
  readonly diversion: Diversion | null;
}

/** Slots of links with max_clicks: taken in the database, one by one, before the redirect. */
@Injectable()
export class ClickQuota {
  constructor(
    private readonly repository: LinksRepository,
    private readonly linkCache: LinkCache,
  ) {}

  /**
   * Takes a slot; where none is to be had, the visit leads where the link now says, or LinkGoneError
   * (or UnknownLinkError) is thrown. Waits for a
   * link that was without a limit until just now: clicks that took no slot are being counted.
   */
  async takeSlot(remembered: RememberedLink): Promise<QuotaDecision> {
    let waits = 0;
    for (let attempt = 0; attempt < SLOT_TRIES; attempt++) {
      const taken = await this.repository.takeClick(remembered.id, new Date());
      if (taken !== null) {
        if (taken.status === 'INACTIVE') await this.linkCache.invalidate(taken.alias);
        return { link: taken, slot: true, diversion: null };
      }
      // Refused: the link as it is now says why, the remembered one may be out of date.
      const { link, diversion } = await this.fresh(remembered);
      if (diversion !== null || link.maxClicks === null) return { link, slot: false, diversion };
      if (isUsedUp(link)) {
        await this.repository.closeUsedUp([link.id]);
        await this.linkCache.invalidate(link.alias);
        return { link, slot: false, diversion: diversionAfterEnd(link) };
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
    const { link, diversion } = await this.fresh(remembered);
    const ended = diversion === null && isUsedUp(link) ? diversionAfterEnd(link) : null;
    return { link, slot: false, diversion: diversion ?? ended };
  }

  /** The link as it is now, and where it leads while it is closed. */
  private async fresh(
    remembered: RememberedLink,
  ): Promise<{ link: Link; diversion: Diversion | null }> {
    const link = await this.repository.findById(remembered.id);
    if (link === null || link.alias !== remembered.alias) throw new UnknownLinkError('address');
    // The recorder closes links, too, and tells nobody.
    if (link.status !== remembered.status) await this.linkCache.invalidate(link.alias);
    return { link, diversion: decideDiversion(link, Date.now()) };
  }
}
