import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/principal';
import { LinksRepository } from '../../links/links.repository';
import type { LinkStatisticsDto } from '../query/statistics.dto';
import { readPeriod } from '../query/period';
import { linkQuery, wordsOf } from '../query/statistics-query';
import type { StatisticsScope } from './statistics-scope';
import { LinkUnknownError } from './statistics-scope';

/** Decides what the statistics and exports of one link, named by its id, are about. */
@Injectable()
export class LinkScopes {
  constructor(private readonly links: LinksRepository) {}

  /** An unknown link and one of another account are the same 404. */
  async find(id: string, dto: LinkStatisticsDto, principal: Principal): Promise<StatisticsScope> {
    const query = linkQuery(dto);
    const link = await this.links.findById(id);
    if (link?.ownerId !== principal.userId) throw new LinkUnknownError();
    return {
      scope: 'all',
      source: { links: [{ id: link.id, alias: link.alias }] },
      query,
      period: readPeriod(dto, Date.now()),
      shortCode: null,
      link,
      words: wordsOf('link', dto, query),
      clicks: link.totalClicks,
      isPublic: false,
    };
  }
}
