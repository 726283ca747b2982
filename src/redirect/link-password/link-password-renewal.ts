import { Injectable } from '@nestjs/common';
import { AppLog } from '../../common/log';
import type { Client } from '../../infrastructure/client-address/client-address';
import { LinksRepository } from '../../stores/links/links.repository';
import { hashLinkPassword } from '../../links/link-password';

/** Replaces hashes that have come with imported links by ours, once the password is known. */
@Injectable()
export class LinkPasswordRenewal {
  constructor(
    private readonly links: LinksRepository,
    private readonly log: AppLog,
  ) {}

  /** Goes on behind the visit; where it fails, the next right entry tries again. */
  begin(
    linkId: string,
    { hash, password, client }: { hash: string; password: string; client: Client },
  ): void {
    hashLinkPassword(password, client)
      .then((ours) => this.links.replacePasswordHash(linkId, hash, ours))
      .catch((err: unknown) => this.log.warn('A password was not hashed anew', { err }));
  }
}
