import { Injectable } from '@nestjs/common';
import { BlockNoticesRepository } from '../../stores/links/block-notices.repository';
import type { Link, LinkBlock } from '../../stores/links/link';
import { UnknownLinkError } from '../../stores/links/link.errors';
import { LinkReads } from '../../stores/links/link-reads.repository';
import { LinksRepository } from '../../stores/links/links.repository';
import { LinkCache } from '../cache/link-cache';

export interface LinkTransition {
  readonly before: Link;
  readonly link: Link;
}

/** Blocks links regardless of their owners, and unblocks them (docs/contract.md#24.4). */
@Injectable()
export class LinkBlockingService {
  constructor(
    private readonly repository: LinksRepository,
    private readonly reads: LinkReads,
    private readonly cache: LinkCache,
    private readonly notices: BlockNoticesRepository,
  ) {}

  async block(id: string, block: Omit<LinkBlock, 'at'>): Promise<LinkTransition> {
    const link = await this.reads.findById(id);
    if (link?.blocked === null) await this.notices.note([link.ownerId]);
    return this.transition(id, await this.repository.block(id, block));
  }

  /** Does nothing if the link is not blocked. */
  async unblock(id: string): Promise<LinkTransition> {
    return this.transition(id, await this.repository.unblock(id));
  }

  /** Returns after every web process has dropped the link from its cache. */
  private async transition(id: string, changed: Link | null): Promise<LinkTransition> {
    const link = await this.reads.findById(id);
    if (link === null) throw new UnknownLinkError('id');
    const before = changed ?? link;
    if (changed !== null) await this.cache.invalidate(...new Set([before.alias, link.alias]));
    return { before, link };
  }
}
