import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/principal';
import { UnknownLinkError } from '../../stores/links/link.errors';
import { LinkAddresses } from '../../stores/domains/link-addresses';
import { LinkReads } from '../../stores/links/link-reads.repository';
import type { LinkStatisticsDto } from '../query/statistics.dto';
import { readPeriod } from '../query/period';
import { linkParameters, toRequestKey } from '../query/statistics-parameters';
import { type StatisticsScope, toLinkName } from './statistics-scope';

@Injectable()
export class LinkScopes {
  constructor(
    private readonly links: LinkReads,
    private readonly addresses: LinkAddresses,
  ) {}

  /** Throws the same 404 for unknown links and other accounts' links. */
  async find(id: string, dto: LinkStatisticsDto, principal: Principal): Promise<StatisticsScope> {
    const parameters = linkParameters(dto);
    const link = await this.links.findById(id);
    if (link?.ownerId !== principal.ownerId) throw new UnknownLinkError('statistics');
    const { alias, domain } = this.addresses.find(link.alias);
    const label = this.addresses.statisticsLabel(link.alias);
    return {
      name: 'all',
      source: { links: [toLinkName(link, label)] },
      parameters,
      period: readPeriod(dto, Date.now()),
      shortCode: null,
      link: { ...link, alias, domain },
      requestKey: toRequestKey('link', dto, parameters),
      clicks: link.totalClicks,
      isPublic: false,
    };
  }
}
