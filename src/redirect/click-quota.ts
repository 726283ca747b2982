import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { UnknownLinkError } from '../stores/links/link.errors';
import { isUsedUp, type Link, type RememberedLink } from '../stores/links/link';
import { LinkCache } from '../links/cache/link-cache';
import { LinkReads } from '../stores/links/link-reads.repository';
import { LinksRepository } from '../stores/links/links.repository';
import { type Diversion, diversionAfterEnd, decideDiversion } from './diversion';
import { LinkGoneError } from './redirect.errors';

const SLOT_TRIES = 3;
/** Retry interval until a link with a new click limit issues slots. */
const SLOT_WAIT_MS = 250;
const MAX_WAITS = 24;

/** The current link, and either a slot or a diversion. */
export interface QuotaDecision {
  readonly link: RememberedLink;
  readonly slot: boolean;
  readonly diversion: Diversion | null;
}

/** Claims click slots in the database, one at a time, before the redirect. */
@Injectable()
export class ClickQuota {
  constructor(
    private readonly repository: LinksRepository,
    private readonly reads: LinkReads,
    private readonly linkCache: LinkCache,
  ) {}

  /**
   * Takes a slot. If none is left, returns the link's diversion or throws LinkGoneError or
   * UnknownLinkError. Waits while clicks made before a new limit are being counted.
   */
  async takeSlot(remembered: RememberedLink): Promise<QuotaDecision> {
    let waits = 0;
    for (let attempt = 0; attempt < SLOT_TRIES; attempt++) {
      const taken = await this.repository.takeClick(remembered.id, new Date());
      if (taken !== null) {
        if (taken.status === 'INACTIVE') await this.linkCache.invalidate(taken.alias);
        return { link: taken, slot: true, diversion: null };
      }
      // The cached link may be outdated. The stored link gives the reason for the refusal.
      const { link, diversion } = await this.fresh(remembered);
      if (diversion !== null || link.maxClicks === null) return { link, slot: false, diversion };
      if (isUsedUp(link)) {
        await this.repository.closeUsedUp([link.id]);
        await this.linkCache.invalidate(link.alias);
        return { link, slot: false, diversion: diversionAfterEnd(link) };
      }
      // The database's clock ends the wait, because the local clock may differ.
      if (link.quotaActiveFrom !== null && waits++ < MAX_WAITS) {
        await sleep(SLOT_WAIT_MS);
        attempt--;
      }
    }
    throw new LinkGoneError();
  }

  /** For HEAD requests: takes no slot but throws if none is left. */
  async check(remembered: RememberedLink): Promise<QuotaDecision> {
    const { link, diversion } = await this.fresh(remembered);
    const ended = diversion === null && isUsedUp(link) ? diversionAfterEnd(link) : null;
    return { link, slot: false, diversion: diversion ?? ended };
  }

  private async fresh(
    remembered: RememberedLink,
  ): Promise<{ link: Link; diversion: Diversion | null }> {
    const link = await this.reads.findById(remembered.id);
    if (link === null || link.alias !== remembered.alias) throw new UnknownLinkError('address');
    // The recorder closes links without notifying web processes.
    if (link.status !== remembered.status) await this.linkCache.invalidate(link.alias);
    return { link, diversion: decideDiversion(link, Date.now()) };
  }
}
