import { Injectable } from '@nestjs/common';
import type { StatisticsClient } from '../../analytics/engine/statistics-engine';
import { RecentClicksService } from '../../analytics/recent-clicks.service';
import type { Principal } from '../../auth/access';
import { LinkReads } from '../../stores/links/link-reads.repository';
import { LinkAddresses } from '../../stores/domains/link-addresses';
import { LinkOverviewService } from '../../links/listing/link-overview.service';
import type { OverviewDto } from './overview.dto';
import { blockedLinks, expiringSoon, nearLimit, type OverviewResponse } from './overview.response';

const HOT = 5;
const MAX_BLOCKED = 5;

@Injectable()
export class OverviewService {
  constructor(
    private readonly links: LinkOverviewService,
    private readonly reads: LinkReads,
    private readonly recent: RecentClicksService,
    private readonly addresses: LinkAddresses,
  ) {}

  async overviewFor(
    { timezone, audience }: OverviewDto,
    { ownerId }: Principal,
    client: StatisticsClient,
  ): Promise<OverviewResponse> {
    const now = Date.now();
    const [links, blocked, clicks] = await Promise.all([
      this.links.glanceFor(ownerId, now),
      this.reads.findBlocked(ownerId, MAX_BLOCKED),
      this.recent.findRecentClicks({ ownerId, timezone, audience, links: HOT, client, now }),
    ]);
    return {
      links: links.counts,
      clicks: {
        today: clicks.today,
        yesterday: clicks.yesterday,
        last_7_days: clicks.last7Days,
        previous_7_days: clicks.previous7Days,
        imported_clicks: links.importedClicks,
      },
      hot: await this.links.hotLinks(ownerId, clicks.mostClicked),
      attention: [
        ...(blocked.count === 0 ? [] : [blockedLinks(blocked, this.addresses)]),
        ...links.expiring.map((link) => expiringSoon(link, this.addresses.find(link.alias))),
        ...links.nearLimit.map((link) => nearLimit(link, this.addresses.find(link.alias))),
      ],
    };
  }
}
