import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/principal';
import { LinkAddresses } from '../../stores/domains/link-addresses';
import { LinksService } from '../making/links.service';
import { toDomainFilter, readFilter } from './list-filter';
import { LinkItemResponse, toLinkItem } from '../making/link.response';
import { isDescending, ListLinksDto } from './list-links.dto';
import type { Link } from '../../stores/links/link';
import { UnknownLinkError } from '../../stores/links/link.errors';
import { LinkReads } from '../../stores/links/link-reads.repository';
import { ImportedCountsRepository } from '../../stores/imported-counts/imported-counts.repository';
import { AccountTags } from '../../stores/tags/account-tags';
import { LinkIndex } from '../link-index/link-index';
import { LinkPageResponse } from './link-page.response';
import { toPage } from '../../common/openapi/item-page';

@Injectable()
export class ListingService {
  constructor(
    private readonly links: LinksService,
    private readonly index: LinkIndex,
    private readonly repository: LinkReads,
    private readonly tags: AccountTags,
    private readonly addresses: LinkAddresses,
    private readonly counts: ImportedCountsRepository,
  ) {}

  async list(query: ListLinksDto, caller: Principal): Promise<LinkPageResponse> {
    const { page, pageSize, sortBy, sums } = query;
    const descending = isDescending(query.sortOrder);
    const places = this.addresses.placesOf(caller.ownerId);
    const requested = readFilter(query.filter ?? query.filterBy, places);
    const filter =
      query.domain === undefined
        ? requested
        : { ...requested, domain: toDomainFilter(query.domain, places) };
    const request = { page, pageSize, sortBy, descending, filter, sums };
    const { ids, total, totalClicks } = await this.index.page(caller.ownerId, request);
    const now = Date.now();
    const links = await this.repository.findInOrder(ids);
    return {
      ...toPage(await this.items(links, caller, now), query, total),
      sortBy,
      sortOrder: descending ? 'descending' : 'ascending',
      total_clicks: totalClicks,
    };
  }

  async show(urlId: string, caller: Principal): Promise<LinkItemResponse> {
    return this.item(await this.links.ownLink(urlId, caller), caller);
  }

  /** Throws 404 for unknown aliases and other accounts' links (docs/contract.md#31.4). */
  async showByKey(key: string, caller: Principal): Promise<LinkItemResponse> {
    const link = await this.repository.findByAlias(key);
    if (link?.ownerId !== caller.ownerId) throw new UnknownLinkError('address');
    return this.item(link, caller);
  }

  private async item(link: Link, caller: Principal): Promise<LinkItemResponse> {
    const [item] = await this.items([link], caller, Date.now());
    if (item === undefined) throw new UnknownLinkError('id');
    return item;
  }

  private async items(
    links: readonly Link[],
    { ownerId }: Principal,
    now: number,
  ): Promise<LinkItemResponse[]> {
    const [tags, counts] = await Promise.all([
      this.tags.findTags(ownerId),
      this.counts.findClicks(links.map(({ id }) => id)),
    ]);
    return links.map((link) => {
      const item = toLinkItem(link, tags, this.addresses, now);
      const imported = counts.get(link.id) ?? 0;
      if (imported > 0) item.imported_clicks = imported;
      return item;
    });
  }
}
