import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/principal';
import { JournalCatchUp } from '../../clicks/journal/journal-catch-up';
import { AppLog } from '../../common/log';
import type { Client } from '../../infrastructure/client-address/client';
import type { Link, LinkChange } from '../link';
import { LinksRepository } from '../links.repository';
import { LinkCache } from '../link-cache';
import type { UpdateLinkDto, UpdateStatusDto } from '../link.dto';
import { toUpdatedLink, UpdatedLinkResponse } from '../link.response';
import { UnknownLinkIdError } from '../links.errors';
import { OwnedLinks } from '../owned-links';
import { LinkChangeReader } from './link-changes';

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
    private readonly repository: LinksRepository,
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
    const settled = await this.repository.activateQuota(link.id, change.status !== undefined);
    await this.directory.invalidate(link.alias);
    return settled ?? link;
  }
}

/** Renames that may come between reading a link and changing it. */
const TRIES = 5;

/** What owners change about their links (docs/contract.md#6.3, docs/contract.md#6.4, docs/contract.md#7). */
@Injectable()
export class ChangesService {
  constructor(
    private readonly links: OwnedLinks,
    private readonly requests: LinkChangeReader,
    private readonly repository: LinksRepository,
    private readonly directory: LinkCache,
    private readonly firstLimit: QuotaActivation,
  ) {}

  async update(
    urlId: string,
    body: UpdateLinkDto,
    caller: Principal,
    client: Client,
  ): Promise<UpdatedLinkResponse> {
    const now = new Date();
    const link = await this.links.demand(urlId, caller);
    const change = await this.requests.read(body, link, now, client);
    const changed = await this.apply(link, change, caller, false);
    return toUpdatedLink(changed, change.status !== undefined);
  }

  async setStatus(
    urlId: string,
    body: UpdateStatusDto,
    caller: Principal,
  ): Promise<UpdatedLinkResponse> {
    const link = await this.links.demand(urlId, caller);
    const changed = await this.apply(link, { status: body.status }, caller, true);
    return toUpdatedLink(changed, true);
  }

  /** Stores the change and has it take effect in every web process before it is answered. */
  private async apply(
    read: Link,
    change: LinkChange,
    caller: Principal,
    touch: boolean,
  ): Promise<Link> {
    let link = read;
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const changed = await this.repository.change(link, change, new Date(), touch);
      if (changed !== null) {
        await this.directory.invalidate(...new Set([link.alias, changed.alias]));
        return this.firstLimit.activate(changed, change);
      }
      link = await this.links.demand(link.id, caller);
    }
    throw new UnknownLinkIdError();
  }
}
