import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/principal';
import { LinkAddresses } from '../../stores/domains/link-addresses';
import { LinksService } from '../making/links.service';
import { toDomainFilter, readFilter } from './list-filter';
import { LinkItemsService } from '../making/link-items.service';
import { LinkItemResponse } from '../making/link.response';
import { isDescending, ListLinksDto } from './list-links.dto';
import type { Link } from '../../stores/links/link';
import { UnknownLinkError } from '../../stores/links/link.errors';
import { LinkReads } from '../../stores/links/link-reads.repository';
import { LinkIndex } from '../link-index/link-index';
import { LinkPageResponse } from './link-page.response';
import { toPage } from '../../common/openapi/item-page';

@Injectable()
export class ListingService {
  constructor(
    private readonly links: LinksService,
    private readonly index: LinkIndex,
    private readonly repository: LinkReads,
    private readonly items: LinkItemsService,
    private readonly addresses: LinkAddresses,
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
    const { ids, total, totalClicks, importedClicks } = await this.index.page(
      caller.ownerId,
      request,
    );
    const links = await this.repository.findInOrder(ids);
    return {
      ...toPage(await this.items.toItems(links), query, total),
      sortBy,
      sortOrder: descending ? 'descending' : 'ascending',
      total_clicks: totalClicks,
      imported_clicks: importedClicks,
    };
  }

  async show(urlId: string, caller: Principal): Promise<LinkItemResponse> {
    return this.item(await this.links.ownLink(urlId, caller));
  }

  /** Throws 404 for unknown aliases and other accounts' links (docs/contract.md#31.4). */
  /** @param keys stored aliases, one for each domain that has or had the host name */
  async showByKeys(keys: readonly string[], caller: Principal): Promise<LinkItemResponse> {
    const link = await this.repository.findOwn(keys, caller.ownerId);
    if (link === null) throw new UnknownLinkError('address');
    return this.item(link);
  }

  private async item(link: Link): Promise<LinkItemResponse> {
    const [item] = await this.items.toItems([link]);
    if (item === undefined) throw new UnknownLinkError('id');
    return item;
  }
}
