import { Injectable } from '@nestjs/common';
import { AudienceClicksService } from '../../analytics/audience-clicks.service';
import type { StatisticsClient } from '../../analytics/engine/statistics-engine';
import { BadRequestError, UnprocessableError } from '../../common/errors';
import { HttpOptions, SiteOptions } from '../../config/options';
import { DEFAULT_HOST } from '../../links/link-index/link-list';
import { TagsService } from '../../links/tags/tags.service';
import type { TagResponse } from '../../links/tags/tag.response';
import { DomainRegistry } from '../../stores/domains/domain-registry';
import type { Link } from '../../stores/links/link';
import { CompatibleLinksService, type ShownLink } from '../compatible-links.service';
import type { Call, LinkFields } from '../compatible-request';
import { LINK_ORDERS, MAX_ALL, readFilters, readOrder, readPaging } from './shlink-query';
import {
  pagination,
  type ShlinkTag,
  type ShortUrl,
  toChangedFields,
  toNewFields,
  toShortUrl,
  visitsSummary,
} from './shlink-url';

type Redirects = Pick<SiteOptions, 'notFoundRedirect' | 'rootRedirect'>;

const MAX_TAGS = 1000;

/** Values by which tags are sorted. They are already sorted by name. */
const TAG_ORDERS: Readonly<Record<string, (tag: ShlinkTag) => number>> = {
  tag: () => 0,
  shortUrlsCount: ({ shortUrlsCount }) => shortUrlsCount,
  visits: ({ visitsSummary: { total } }) => total,
  nonBotVisits: ({ visitsSummary: { nonBots } }) => nonBots,
};

@Injectable()
export class ShlinkService {
  constructor(
    private readonly links: CompatibleLinksService,
    private readonly clicks: AudienceClicksService,
    private readonly tags: TagsService,
    private readonly registry: DomainRegistry,
    private readonly http: HttpOptions,
    private readonly site: SiteOptions,
  ) {}

  async create(body: LinkFields, call: Call): Promise<ShortUrl> {
    const { link } = await this.links.create(toNewFields(body, Date.now()), call);
    return this.show(link, call.asker);
  }

  async find(shortCode: string, call: Call): Promise<ShortUrl> {
    return this.show(await this.links.toShown(await this.findLink(shortCode, call)), call.asker);
  }

  async update(shortCode: string, body: LinkFields, call: Call): Promise<ShortUrl> {
    const link = await this.findLink(shortCode, call);
    const changed = await this.links.update(link, toChangedFields(body, Date.now()), call);
    return this.show(changed, call.asker);
  }

  async remove(shortCode: string, call: Call): Promise<void> {
    await this.links.remove(await this.findLink(shortCode, call), call.caller);
  }

  async list({ query, caller, asker }: Call): Promise<object> {
    const paging = readPaging(query, MAX_ALL);
    const { page, size } = paging;
    const filter = readFilters(query, (host) =>
      host === 'DEFAULT' || this.links.isOwnHost(host) ? DEFAULT_HOST : host,
    );
    const { by: sortBy, descending } = readOrder(query.orderBy, LINK_ORDERS, 'dateCreated-DESC');
    const part = { skip: (page - 1) * size, limit: size, sortBy, descending };
    const { links, total } = await this.links.list(caller, { ...part, filter });
    if (size === MAX_ALL && total > MAX_ALL) {
      throw new BadRequestError(`There are more than ${MAX_ALL} short URLs`, 'itemsPerPage');
    }
    const data = await this.showAll(links, asker);
    return { shortUrls: { data, pagination: pagination(paging, data.length, total) } };
  }

  async listTags(call: Call): Promise<object> {
    return toTagPage(await this.findTags(call, ({ name }) => name), call.query);
  }

  async listTagStatistics(call: Call): Promise<object> {
    const { query, caller, asker } = call;
    const source = { ownerId: caller.ownerId };
    const [all, humans] = await Promise.all([
      this.clicks.countBy('tag', source, asker),
      this.clicks.countBy('tag', source, asker, 'human'),
    ]);
    const tags = await this.findTags(call, ({ name: tag, links, imported_clicks: imported }) => {
      const [total, nonBots] = [all, humans].map((counts) => (counts.get(tag) ?? 0) + imported);
      return { tag, shortUrlsCount: links, visitsSummary: visitsSummary(total ?? 0, nonBots ?? 0) };
    });
    const { by, descending } = readOrder(query.orderBy, TAG_ORDERS, 'tag-ASC');
    tags.sort((a, b) => by(a) - by(b));
    return toTagPage(descending ? tags.reverse() : tags, query);
  }

  listDomains({ caller: { ownerId } }: Call): object {
    const others = this.registry
      .usedBy(ownerId)
      .filter((domain) => domain.status === 'active')
      .filter((domain) => domain.isShared || domain.ownerId === ownerId)
      .map((domain) => ({ domain: domain.fqdn, isDefault: false, redirects: toRedirects(domain) }));
    const redirects = toRedirects(this.site);
    const base = { domain: new URL(this.http.baseUrl).host, isDefault: true, redirects };
    return { domains: { data: [base, ...others], defaultRedirects: redirects } };
  }

  async countVisits({ caller, asker }: Call): Promise<object> {
    const [counts, { importedClicks }] = await Promise.all([
      this.clicks.countBy('audience', { ownerId: caller.ownerId }, asker),
      this.links.list(caller, {}),
    ]);
    const total = [...counts.values()].reduce((sum, clicks) => sum + clicks, importedClicks);
    return {
      visits: {
        nonOrphanVisits: visitsSummary(total, (counts.get('human') ?? 0) + importedClicks),
        orphanVisits: visitsSummary(0, 0),
      },
    };
  }

  private findLink(shortCode: string, { caller, query: { domain } }: Call): Promise<Link> {
    if (domain === undefined || domain === '') return this.links.findByAlias(shortCode, caller);
    if (typeof domain !== 'string') throw UnprocessableError.forField('domain', 'must be a string');
    return this.links.findByAlias(shortCode, caller, domain);
  }

  private async findTags<T>(
    { query, caller }: Call,
    toShown: (tag: TagResponse) => T,
  ): Promise<T[]> {
    const { searchTerm: search = '' } = query;
    if (typeof search !== 'string' || search.length > 100) {
      throw UnprocessableError.forField('search', 'must be a string of at most 100 characters');
    }
    return (await this.tags.list({ search, sortBy: 'name' }, caller)).tags.map(toShown);
  }

  private async show(link: ShownLink, asker: StatisticsClient): Promise<ShortUrl> {
    const [shown] = await this.showAll([link], asker);
    return shown ?? toShortUrl(link, 0);
  }

  /** One query for all clicked links, whose ids are the labels. */
  private async showAll(shown: readonly ShownLink[], asker: StatisticsClient): Promise<ShortUrl[]> {
    const clicked = shown.filter(({ total_clicks }) => total_clicks > 0);
    const links = clicked.map(({ id }) => ({ id, alias: id }));
    const humans =
      links.length > 0 ? await this.clicks.countBy('short_code', { links }, asker, 'human') : null;
    return shown.map((link) => toShortUrl(link, humans?.get(link.id) ?? 0));
  }
}

function toTagPage(all: readonly unknown[], query: LinkFields): object {
  const paging = readPaging(query, MAX_TAGS, MAX_TAGS);
  const { page, size } = paging;
  const data = all.slice((page - 1) * size, page * size);
  return { tags: { data, pagination: pagination(paging, data.length, all.length) } };
}

function toRedirects({ rootRedirect, notFoundRedirect: notFound }: Redirects): object {
  return {
    baseUrlRedirect: rootRedirect,
    regular404Redirect: notFound,
    invalidShortUrlRedirect: notFound,
  };
}
