import { Injectable } from '@nestjs/common';
import { isClosed, isUsedUp, type Link } from '../links/link';
import { LinkCache } from '../links/link-cache';
import { LinksRepository } from '../links/links.repository';
import { LinkGoneError, UnknownLinkError } from '../redirect/redirect.errors';
import { toAlias } from '../redirect/short-path';

/** Finds the links that pages show; a page takes no slot and counts no click. */
@Injectable()
export class LinkPagesService {
  constructor(
    private readonly directory: LinkCache,
    private readonly lookup: LinksRepository,
  ) {}

  /** The open link of a code as Express has decoded it: UnknownLinkError, LinkGoneError. */
  async find(code: string): Promise<Link> {
    const alias = toAlias(code);
    const known = alias === null ? null : await this.directory.find(alias);
    // Whether slots are left is what the database says, not what was remembered.
    const link = known?.maxClicks ? await this.lookup.findById(known.id) : known;
    if (link === null) throw new UnknownLinkError();
    if (isUsedUp(link) || isClosed(link, Date.now())) throw new LinkGoneError();
    return link;
  }
}
