import { Injectable } from '@nestjs/common';
import type { Link, LinkBlock } from '../../stores/links/link';
import { UnknownLinkError } from '../../stores/links/link.errors';
import { LinksRepository } from '../../stores/links/links.repository';
import { LinkCache } from '../link-cache';

/** A link as it was before an act and as it is since. */
export interface LinkTransition {
  readonly before: Link;
  readonly link: Link;
}

/** Closes links against their owners' will, and opens them again (docs/contract.md#24.4). */
@Injectable()
export class LinkBlockingService {
  constructor(
    private readonly repository: LinksRepository,
    private readonly cache: LinkCache,
  ) {}

  /** @throws UnknownLinkError */
  async block(id: string, block: Omit<LinkBlock, 'at'>): Promise<LinkTransition> {
    return this.transition(id, await this.repository.block(id, block));
  }

  /**
   * A link that is not blocked stays as it is.
   * @throws UnknownLinkError
   */
  async unblock(id: string): Promise<LinkTransition> {
    return this.transition(id, await this.repository.unblock(id));
  }

  /** Has every web process know of it before it is answered. */
  private async transition(id: string, changed: Link | null): Promise<LinkTransition> {
    const link = await this.repository.findById(id);
    if (link === null) throw new UnknownLinkError('id');
    const before = changed ?? link;
    if (changed !== null) await this.cache.invalidate(...new Set([before.alias, link.alias]));
    return { before, link };
  }
}
