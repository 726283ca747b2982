import { Injectable } from '@nestjs/common';
import type { Principal } from '../auth/principal';
import { readId } from '../common/ids';
import { LinkNotYoursError, UnknownLinkIdError } from './links.errors';
import type { Link } from './link';
import { LinksRepository } from './links.repository';

/** The owner's way to one link. */
@Injectable()
export class OwnedLinks {
  constructor(private readonly repository: LinksRepository) {}

  /** The caller's link; 400 malformed id, 404 unknown, 403 somebody else's or nobody's (6.6). */
  async demand(urlId: string, caller: Principal): Promise<Link> {
    const link = await this.repository.findById(readId(urlId, 'url_id'));
    if (link === null) throw new UnknownLinkIdError();
    if (link.ownerId !== caller.userId) throw new LinkNotYoursError();
    return link;
  }
}
