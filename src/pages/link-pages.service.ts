import { Injectable } from '@nestjs/common';
import { UnknownLinkError } from '../stores/links/link.errors';
import { isUsedUp, type RememberedLink } from '../stores/links/link';
import { LinkCache } from '../links/cache/link-cache';
import { LinkReads } from '../stores/links/link-reads.repository';
import { type Diversion, diversionAfterEnd, decideDiversion } from '../redirect/diversion';
import { keyOfCode } from '../stores/links/alias-form';

interface FoundLink {
  readonly link: RememberedLink;
  readonly diversion: Diversion | null;
}

/** Finds links for pages. Showing a page takes no slot and does not count a click. */
@Injectable()
export class LinkPagesService {
  constructor(
    private readonly cache: LinkCache,
    private readonly repository: LinkReads,
  ) {}

  /** @throws UnknownLinkError, or LinkGoneError if a visit would not redirect */
  async find(code: string, domainId: string | null = null): Promise<FoundLink> {
    const link = await this.findAny(code, domainId);
    const closed = decideDiversion(link, Date.now());
    const ended = closed === null && link.isUsedUp === true ? diversionAfterEnd(link) : null;
    return { link, diversion: closed ?? ended };
  }

  /** Also finds closed links. @throws UnknownLinkError */
  async findAny(
    code: string,
    domainId: string | null = null,
  ): Promise<RememberedLink & { isUsedUp?: boolean }> {
    const key = keyOfCode(domainId, code);
    const known = key === null ? null : await this.cache.find(key);
    if (known === null) throw new UnknownLinkError('address');
    if (known.maxClicks === null) return known;
    // The cached link may have an outdated slot count.
    const link = await this.repository.findById(known.id);
    if (link === null) throw new UnknownLinkError('address');
    return { ...link, isUsedUp: isUsedUp(link) };
  }
}
