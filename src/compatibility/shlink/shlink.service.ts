import { Injectable } from '@nestjs/common';
import { AudienceClicksService } from '../../analytics/audience-clicks.service';
import type { StatisticsClient } from '../../analytics/engine/statistics-engine';
import type { Principal } from '../../auth/principal';
import { BadRequestError, UnprocessableError } from '../../common/errors';
import { HttpOptions, SiteOptions } from '../../config/options';
import { DEFAULT_HOST } from '../../links/link-index/link-list';
import { TagsService } from '../../links/tags/tags.service';
import { LinkAddresses } from '../../stores/domains/link-addresses';
import type { Link } from '../../stores/links/link';
import {
  CompatibleLinksService,
  type LinkFields,
  type ShownLink,
} from '../compatible-links.service';
import type { Call } from '../compatible-request';
import { MAX_ALL, readFilters, readLinkOrder, readOrder, readPaging } from './shlink-query';
import { pagination, toChangedFields, toNewFields, toShortUrl, visitsSummary } from './shlink-url';

type ShortUrl = ReturnType<typeof toShortUrl>;

const MAX_TAGS = 1000;

@Injectable()
export class ShlinkService {
  constructor(
    private readonly links: CompatibleLinksService,
    private readonly clicks: AudienceClicksService,
    private readonly tags: TagsService,
    private readonly addresses: LinkAddresses,
    private readonly http: HttpOptions,
    private readonly site: SiteOptions,
  ) {}

  async create(body: LinkFields, { caller, client, asker }: Call): Promise<ShortUrl> {
    const { link } = await this.links.create(toNewFields(body, Date.now()), caller, client);
    return this.show(link, asker);
  }

  async find(shortCode: string, domain: unknown, { caller, asker }: Call): Promise<ShortUrl> {
    const link = await this.findLink(shortCode, domain, caller);
    return this.show(await this.links.toShown(link), asker);
  }

  async update(
    [shortCode, domain, body]: readonly [string, unknown, LinkFields],
    { caller, client, asker }: Call,
  ): Promise<ShortUrl> {
    const link = await this.findLink(shortCode, domain, caller);
    const changes = toChangedFields(body, Date.now());
    return this.show(await this.links.update(link, changes, caller, client), asker);
  }

  async remove(shortCode: string, domain: unknown, { caller }: Call): Promise<void> {
    await this.links.remove(await this.findLink(shortCode, domain, caller), caller);
  }

  async list(query: LinkFields, { caller, asker }: Call): Promise<object> {
    const paging = readPaging(query, MAX_ALL);
    const { page, size } = paging;
    const toDomain = (host: string) =>
      host === 'DEFAULT' || this.links.isOwnHost(host) ? DEFAULT_HOST : host;
    const filter = readFilters(query, toDomain);
    const part = { ...readLinkOrder(query.orderBy), skip: (page - 1) * size, limit: size };
    const { links, total } = await this.links.list({ ...part, filter }, caller);
    if (size === MAX_ALL && total > MAX_ALL) {
      throw new BadRequestError(`There are more than ${MAX_ALL} short URLs`, 'itemsPerPage');
    }
    const data = await this.showAll(links, asker);
    return { shortUrls: { data, pagination: pagination(paging, data.length, total) } };
  }

  async listTags(query: LinkFields, { caller }: Call): Promise<object> {
    const { names, paging } = await this.findTags(query, caller);
    const data = names.map(({ name }) => name);
    return { tags: toTagPage(data, paging) };
  }

  async listTagStatistics(query: LinkFields, { caller, asker }: Call): Promise<object> {
    const { names, paging } = await this.findTags(query, caller);
    const source = { ownerId: caller.ownerId };
    const [all, humans] = await Promise.all([
      this.clicks.countBy('tag', source, asker),
      this.clicks.countBy('tag', source, asker, 'human'),
    ]);
    const data = names.map(({ name, links, imported_clicks: imported }) => ({
      tag: name,
      shortUrlsCount: links,
      visitsSummary: visitsSummary(
        (all.get(name) ?? 0) + imported,
        (humans.get(name) ?? 0) + imported,
      ),
    }));
    const order = readOrder(query.orderBy, ['tag', 'shortUrlsCount', 'visits', 'nonBotVisits']);
    if (order !== null && order.field !== 'tag') {
      const value = ({ shortUrlsCount, visitsSummary: { total, nonBots } }: (typeof data)[0]) =>
        order.field === 'visits'
          ? total
          : order.field === 'nonBotVisits'
            ? nonBots
            : shortUrlsCount;
      data.sort((a, b) => value(a) - value(b));
    }
    if (order?.descending) data.reverse();
    return { tags: toTagPage(data, paging) };
  }

  listDomains({ caller: { ownerId } }: Call): object {
    const { domains } = this.addresses.placesOf(ownerId);
    const own = domains
      .filter((domain) => domain.status === 'active')
      .filter((domain) => domain.isShared || domain.ownerId === ownerId)
      .map(({ fqdn, rootRedirect, notFoundRedirect }) => ({
        domain: fqdn,
        isDefault: false,
        redirects: toRedirects(rootRedirect, notFoundRedirect),
      }));
    const redirects = toRedirects(this.site.rootRedirect, this.site.notFoundRedirect);
    const base = { domain: new URL(this.http.baseUrl).host, isDefault: true, redirects };
    return { domains: { data: [base, ...own], defaultRedirects: redirects } };
  }

  async countVisits({ caller, asker }: Call): Promise<object> {
    const nothing = { filter: {}, ...readLinkOrder(undefined), skip: 0, limit: 0 };
    const [counts, { importedClicks }] = await Promise.all([
      this.clicks.countBy('audience', { ownerId: caller.ownerId }, asker),
      this.links.list(nothing, caller),
    ]);
    const total = [...counts.values()].reduce((sum, clicks) => sum + clicks, importedClicks);
    return {
      visits: {
        nonOrphanVisits: visitsSummary(total, (counts.get('human') ?? 0) + importedClicks),
        orphanVisits: visitsSummary(0, 0),
      },
    };
  }

  private findLink(shortCode: string, domain: unknown, caller: Principal): Promise<Link> {
    if (domain === undefined || domain === '') return this.links.findByAlias(shortCode, caller);
    if (typeof domain !== 'string') throw UnprocessableError.forField('domain', 'must be a string');
    return this.links.findByAlias(shortCode, caller, domain);
  }

  private async findTags(query: LinkFields, caller: Principal) {
    const { searchTerm = '' } = query;
    if (typeof searchTerm !== 'string' || searchTerm.length > 100) {
      throw UnprocessableError.forField('search', 'must be a string of at most 100 characters');
    }
    const { tags } = await this.tags.list({ search: searchTerm, sortBy: 'name' }, caller);
    return { names: tags, paging: readPaging(query, MAX_TAGS, MAX_TAGS) };
  }

  private async show(link: ShownLink, asker: StatisticsClient): Promise<ShortUrl> {
    const [shown] = await this.showAll([link], asker);
    return shown ?? toShortUrl(link, 0);
  }

  /** One query for all clicked links, whose ids are the labels. */
  private async showAll(links: readonly ShownLink[], asker: StatisticsClient): Promise<ShortUrl[]> {
    const clicked = links.filter(({ total_clicks }) => total_clicks > 0);
    const names = clicked.map(({ id }) => ({ id, alias: id }));
    const humans =
      names.length === 0
        ? new Map<string, number>()
        : await this.clicks.countBy('short_code', { links: names }, asker, 'human');
    return links.map((link) => toShortUrl(link, humans.get(link.id) ?? 0));
  }
}

function toTagPage(all: readonly unknown[], paging: ReturnType<typeof readPaging>) {
  const { page, size } = paging;
  const data = all.slice((page - 1) * size, page * size);
  return { data, pagination: pagination(paging, data.length, all.length) };
}

function toRedirects(root: string | null, notFound: string | null) {
  return {
    baseUrlRedirect: root,
    regular404Redirect: notFound,
    invalidShortUrlRedirect: notFound,
  };
}
