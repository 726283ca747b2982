import { Injectable } from '@nestjs/common';
import { AppLog } from '../../common/log';
import type { Client } from '../../infrastructure/client-address/client-address';
import { LinksRepository } from '../../stores/links/links.repository';
import { hashLinkPassword } from '../../links/link-password';

/** Replaces imported password hashes with native ones when a password is verified. */
@Injectable()
export class LinkPasswordRenewal {
  constructor(
    private readonly links: LinksRepository,
    private readonly log: AppLog,
  ) {}

  /** Runs in the background; after a failure the next correct entry retries. */
  begin(
    linkId: string,
    { hash, password, client }: { hash: string; password: string; client: Client },
  ): void {
    hashLinkPassword(password, client)
      .then((ours) => this.links.replacePasswordHash(linkId, hash, ours))
      .catch((err: unknown) => this.log.warn('A password was not hashed anew', { err }));
  }
}
