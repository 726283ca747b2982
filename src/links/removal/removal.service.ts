import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { Principal } from '../../access/principal';
import { UnknownLinkIdError } from '../links.errors';
import { LinkClicks } from '../lookup/clicks-of-links';
import { LinkCache } from '../lookup/link-directory';
import { OwnedLinks } from '../owned-links';
import { RemovalRepository } from './removal.repository';

/** Answer of DELETE /api/v1/urls/{url_id} (contract 6.5). */
export class RemovedLinkResponse {
  @ApiProperty({ enum: ['URL deleted'] }) message!: string;
  @ApiProperty() id!: string;
}

/** Removes links with their clicks; the alias is free at once. */
@Injectable()
export class RemovalService {
  constructor(
    private readonly links: OwnedLinks,
    private readonly repository: RemovalRepository,
    private readonly directory: LinkCache,
    private readonly clicks: LinkClicks,
  ) {}

  async remove(urlId: string, caller: Principal): Promise<RemovedLinkResponse> {
    const link = await this.links.demand(urlId, caller);
    const removed = await this.repository.remove(link.id, caller.userId);
    if (removed === null) throw new UnknownLinkIdError();
    await this.directory.invalidate(...new Set([link.alias, removed.alias]));
    await this.clicks.remove([link.id]);
    return { message: 'URL deleted', id: link.id };
  }
}
