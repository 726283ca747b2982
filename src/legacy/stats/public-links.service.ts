import { Injectable } from '@nestjs/common';
import type { Link } from '../../stores/links/link';
import { LinkReads } from '../../stores/links/link-reads.repository';
import { toAlias } from '../../stores/links/alias-form';
import { StatisticsUnknownError } from '../refusals/legacy-stats.errors';
import type { PasswordCheck } from './statistics-request';

@Injectable()
export class PublicLinksService {
  constructor(private readonly repository: LinkReads) {}

  /**
   * @param viewer the account that views the page and always sees its own links
   * @throws StatisticsUnknownError, errors from the password check
   */
  async find(
    code: string,
    checkPassword: PasswordCheck,
    viewer: string | null = null,
  ): Promise<Link> {
    const alias = toAlias(code);
    const link = alias === null ? null : await this.repository.findVisited(alias);
    if (link !== null && viewer !== null && link.ownerId === viewer) return link;
    if (link === null || link.privateStats) throw new StatisticsUnknownError();
    if (link.passwordHash !== null) await checkPassword(link);
    return link;
  }
}
