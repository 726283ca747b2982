import { Injectable } from '@nestjs/common';
import { UnknownLinkError } from '../link-store/link.errors';
import { isClosed, isUsedUp, type RememberedLink } from '../link-store/link';
import { LinkCache } from '../links/link-cache';
import { LinksRepository } from '../link-store/links.repository';
import { LinkGoneError } from '../redirect/redirect.errors';
import { toAlias } from '../link-store/alias-form';

/** Finds the links that pages show; a page takes no slot and counts no click. */
@Injectable()
export class LinkPagesService {
  constructor(
    private readonly cache: LinkCache,
    private readonly repository: LinksRepository,
  ) {}

  /** The open link of a code as Express has decoded it: UnknownLinkError, LinkGoneError. */
  async find(code: string): Promise<RememberedLink> {
    const alias = toAlias(code);
    const known = alias === null ? null : await this.cache.find(alias);
    // Whether slots are left is what the database says, not what was remembered.
    if (known === null) throw new UnknownLinkError('address');
    const link = known.maxClicks === null ? known : await this.withSlots(known.id);
    if (isClosed(link, Date.now())) throw new LinkGoneError();
    return link;
  }

  private async withSlots(id: string): Promise<RememberedLink> {
    const link = await this.repository.findById(id);
    if (link === null) throw new UnknownLinkError('address');
    if (isUsedUp(link)) throw new LinkGoneError();
    return link;
  }
}
