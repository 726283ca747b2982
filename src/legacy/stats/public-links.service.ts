import { Injectable } from '@nestjs/common';
import type { Link } from '../../stores/links/link';
import { LinksRepository } from '../../stores/links/links.repository';
import { toAlias } from '../../stores/links/alias-form';
import { StatisticsUnknownError } from './legacy-stats.errors';
import type { PasswordCheck } from './password-check';

/** Finds the links whose statistics v0 serves: public ones, with their password if they have one. */
@Injectable()
export class PublicLinksService {
  constructor(private readonly repository: LinksRepository) {}

  /**
   * The link as the database holds it, closed or not; throws StatisticsUnknownError and what the
   * password check throws.
   *
   * @param code as Express has decoded it
   * @param viewer account that looks at a page; its own links it sees whatever they ask of others
   */
  async find(
    code: string,
    checkPassword: PasswordCheck,
    viewer: string | null = null,
  ): Promise<Link> {
    const alias = toAlias(code);
    const link = alias === null ? null : await this.repository.findByAlias(alias);
    if (link !== null && viewer !== null && link.ownerId === viewer) return link;
    if (link === null || link.privateStats) throw new StatisticsUnknownError();
    if (link.passwordHash !== null) await checkPassword(link);
    return link;
  }
}
