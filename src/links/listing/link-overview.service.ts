import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../../common/time';
import { LinkAddresses } from '../../stores/domains/link-addresses';
import type { Link } from '../../stores/links/link';
import { LinkItemsService } from '../making/link-items.service';
import { LinkReads } from '../../stores/links/link-reads.repository';
import { LinkIndex } from '../link-index/link-index';
import type { HotLinkResponse } from './link-page.response';

export interface LinksAtAGlance {
  readonly counts: { total: number; active: number; inactive: number };
  readonly importedClicks: number;
  /** Active links that expire within seven days, soonest first. */
  readonly expiring: readonly Link[];
  /** Active links that used at least 90 % of their click limit, fullest first. */
  readonly nearLimit: readonly Link[];
}

const EXPIRING_SOON_MS = 7 * DAY_MS;
const MAX_URGENT = 10;
const AT_ONCE = 1000;

@Injectable()
export class LinkOverviewService {
  constructor(
    private readonly index: LinkIndex,
    private readonly repository: LinkReads,
    private readonly items: LinkItemsService,
    private readonly addresses: LinkAddresses,
  ) {}

  async glanceFor(ownerId: string, now: number): Promise<LinksAtAGlance> {
    const { total, active, importedClicks, ...ids } = await this.index.glance(
      ownerId,
      now,
      now + EXPIRING_SOON_MS,
      MAX_URGENT,
    );
    const [expiring, nearLimit] = await Promise.all([
      this.repository.findInOrder([...ids.expiring]),
      this.fullest(ids.limited),
    ]);
    const counts = { total, active, inactive: total - active };
    return { counts, importedClicks, expiring, nearLimit };
  }

  /** @param recent recent clicks by the names that statistics use; returned in the same order */
  async hotLinks(ownerId: string, recent: ReadonlyMap<string, number>): Promise<HotLinkResponse[]> {
    const clicks = new Map<string, number>();
    for (const [label, count] of recent) {
      const alias = this.addresses.keyOfLabel(label, ownerId);
      if (alias !== null) clicks.set(alias, count);
    }
    const aliases = [...clicks.keys()];
    if (aliases.length === 0) return [];
    const links = (await this.repository.findByAliases(aliases))
      .filter((link) => link.ownerId === ownerId)
      .sort((a, b) => aliases.indexOf(a.alias) - aliases.indexOf(b.alias));
    const items = await this.items.toItems(links);
    return items.map((item, at) => {
      return Object.assign(item, { recent_clicks: clicks.get(links[at]?.alias ?? '') ?? 0 });
    });
  }

  /** Reads the database, because listings in memory do not include used clicks. */
  private async fullest(limited: readonly string[]): Promise<Link[]> {
    let fullest: Link[] = [];
    for (let from = 0; from < limited.length; from += AT_ONCE) {
      const found = await this.repository.nearLimit(limited.slice(from, from + AT_ONCE));
      fullest = [...fullest, ...found]
        .sort((a, b) => usedShare(b) - usedShare(a) || (a.id < b.id ? -1 : 1))
        .slice(0, MAX_URGENT);
    }
    return fullest;
  }
}

function usedShare({ usedClicks, maxClicks }: Link): number {
  return usedClicks / (maxClicks ?? Infinity);
}
