import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../../common/time';
import { LinkAddresses } from '../../stores/domains/link-addresses';
import type { Link } from '../../stores/links/link';
import { type LinkItemResponse, toLinkItem } from '../making/link.response';
import { LinkReads } from '../../stores/links/link-reads.repository';
import { AccountTags } from '../../stores/tags/account-tags';
import { LinkIndex } from '../link-index/link-index';

export interface LinksAtAGlance {
  readonly counts: { total: number; active: number; inactive: number };
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
    private readonly tags: AccountTags,
    private readonly addresses: LinkAddresses,
  ) {}

  async glanceFor(ownerId: string, now: number): Promise<LinksAtAGlance> {
    const { total, active, ...ids } = await this.index.glance(
      ownerId,
      now,
      now + EXPIRING_SOON_MS,
      MAX_URGENT,
    );
    const [expiring, nearLimit] = await Promise.all([
      this.repository.findInOrder([...ids.expiring]),
      this.fullest(ids.limited),
    ]);
    return { counts: { total, active, inactive: total - active }, expiring, nearLimit };
  }

  /** Returns links by the names that statistics use, in the same order. */
  async itemsFor(
    ownerId: string,
    labels: readonly string[],
    now: number,
  ): Promise<LinkItemResponse[]> {
    const aliases = labels.flatMap((label) => this.addresses.keyOfLabel(label, ownerId) ?? []);
    if (aliases.length === 0) return [];
    const found = await this.repository.findByAliases(aliases);
    const tags = await this.tags.findTags(ownerId);
    return found
      .filter((link) => link.ownerId === ownerId)
      .sort((a, b) => aliases.indexOf(a.alias) - aliases.indexOf(b.alias))
      .map((link) => toLinkItem(link, tags, this.addresses, now));
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
