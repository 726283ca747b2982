import { Injectable } from '@nestjs/common';
import { LinkAddresses } from '../../stores/domains/link-addresses';
import { ImportedCountsRepository } from '../../stores/imported-counts/imported-counts.repository';
import type { Link } from '../../stores/links/link';
import { AccountTags } from '../../stores/tags/account-tags';
import { TagSet } from '../../stores/tags/tag-set';
import { type LinkItemResponse, toLinkItem } from './link.response';

/** Shows links of any account, with the clicks that their imports counted. */
@Injectable()
export class LinkItemsService {
  constructor(
    private readonly tags: AccountTags,
    private readonly addresses: LinkAddresses,
    private readonly counts: ImportedCountsRepository,
  ) {}

  /** Returns an item for each link, in the same order. */
  async toItems(links: readonly Link[]): Promise<LinkItemResponse[]> {
    const owners = [...new Set(links.map(({ ownerId }) => ownerId))];
    const [counts, ...tagSets] = await Promise.all([
      this.counts.findClicks(links.map(({ id }) => id)),
      ...owners.map((ownerId) => this.tags.findTags(ownerId)),
    ]);
    const tags = new Map(owners.map((ownerId, at) => [ownerId, tagSets[at] ?? TagSet.EMPTY]));
    const now = Date.now();
    return links.map((link) => {
      const item = toLinkItem(link, tags.get(link.ownerId) ?? TagSet.EMPTY, this.addresses, now);
      const imported = counts.get(link.id) ?? 0;
      if (imported > 0) item.imported_clicks = imported;
      return item;
    });
  }
}
