import { Injectable } from '@nestjs/common';
import type { Principal } from '../../access/principal';
import type { Client } from '../../platform/address/client';
import { UnknownLinkIdError } from '../links.errors';
import type { Link } from '../lookup/link';
import { LinkCache } from '../lookup/link-directory';
import { OwnedLinks } from '../owned-links';
import { LinkChangeReader } from './change-wishes';
import { UpdatedLinkResponse, toUpdatedLink } from './changed-link';
import { ChangesRepository } from './changes.repository';
import { QuotaActivation } from './first-limit';
import type { LinkChange } from './link-change';
import type { UpdateLinkDto, UpdateStatusDto } from './update-link.dto';

/** Renames that may come between reading a link and changing it. */
const TRIES = 5;

/** What owners change about their links (contract 6.3, 6.4, 7). */
@Injectable()
export class ChangesService {
  constructor(
    private readonly links: OwnedLinks,
    private readonly wishes: LinkChangeReader,
    private readonly repository: ChangesRepository,
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
    const change = await this.wishes.read(body, link, now, client);
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
      const changed = await this.repository.apply(link, change, new Date(), touch);
      if (changed !== null) {
        await this.directory.invalidate(...new Set([link.alias, changed.alias]));
        return this.firstLimit.activate(changed, change);
      }
      link = await this.links.demand(link.id, caller);
    }
    throw new UnknownLinkIdError();
  }
}
