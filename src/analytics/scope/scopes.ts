import { Injectable } from '@nestjs/common';
import type { Caller, Principal } from '../../auth/access';
import { StatisticsOptions } from '../../config/options';
import { BadRequestError } from '../../common/errors';
import { isId } from '../../common/http/parse-id.pipe';
import { UnknownLinkError } from '../../stores/links/link.errors';
import type { Link } from '../../stores/links/link';
import { LinkAddresses } from '../../stores/domains/link-addresses';
import { LinkReads } from '../../stores/links/link-reads.repository';
import type { LinkName, Source } from '../../engines/click-engine/query/statistics-query';
import {
  LinkPasswordVerifier,
  type PresentedPassword,
} from '../../redirect/link-password/link-password.verifier';
import type { StatisticsClient } from '../engine/statistics-engine';
import type { AccountStatisticsDto, LinkStatisticsDto, PeriodDto } from '../query/statistics.dto';
import { readPeriod } from '../query/period';
import {
  accountParameters,
  linkParameters,
  publicParameters,
  type StatisticsParameters,
  toRequestKey,
} from '../query/statistics-parameters';
import {
  ForeignStatisticsError,
  MissingScopeError,
  PrivateStatisticsError,
} from '../statistics-process/statistics.errors';
import { shortCode, type StatisticsScope, toLinkName } from './statistics-scope';

export interface AccountRequest<Query extends AccountStatisticsDto = AccountStatisticsDto> {
  query: Query;
  caller: Caller;
  client: StatisticsClient;
  presented: PresentedPassword;
}

@Injectable()
export class AccountScopes {
  constructor(
    private readonly links: LinkReads,
    private readonly passwords: LinkPasswordVerifier,
    private readonly options: StatisticsOptions,
    private readonly addresses: LinkAddresses,
  ) {}

  /** @param fromCreation whether the default start is when the links were created */
  async find(
    request: AccountRequest,
    { fromCreation }: { fromCreation: boolean },
  ): Promise<StatisticsScope> {
    const { query: dto, caller } = request;
    const name = dto.scope ?? this.options.defaultScope;
    if (name === null) throw new MissingScopeError();
    const parameters = accountParameters(name, dto);
    const link = name === 'anon' ? await this.shared(request) : await this.own(dto, caller);
    if (name === 'anon') refuseLinkChoice(parameters, dto);
    const creation = fromCreation ? await this.creation(link, caller) : null;
    return {
      name,
      source: await this.source(link, caller, parameters),
      parameters,
      period: readPeriod(dto, Date.now(), creation),
      shortCode: link && this.addresses.statisticsLabel(link.alias),
      link: null,
      requestKey: usesTags(parameters)
        ? null
        : toRequestKey(fromCreation ? 'account' : 'link', dto, parameters),
      clicks: link?.totalClicks ?? null,
      isPublic: name === 'anon' && link?.privateStats === false,
    };
  }

  /** Returns the account's titles by label. */
  async findTitles(labels: readonly string[], caller: Caller): Promise<Record<string, string>> {
    const { ownerId } = caller.demandPrincipal();
    const keys = labels.flatMap((label) => this.addresses.keyOfLabel(label, ownerId) ?? []);
    const links = keys.length === 0 ? [] : await this.links.findByAliases(keys);
    const titled = links.flatMap(({ ownerId: owner, alias, title }) =>
      owner !== ownerId || title === null ? [] : [[this.addresses.statisticsLabel(alias), title]],
    );
    return Object.fromEntries(titled) as Record<string, string>;
  }

  /** scope=anon: returns a link with public statistics or one of the caller's links. */
  private async shared({ query: dto, caller, presented }: AccountRequest): Promise<Link> {
    caller.demandAccess();
    const code = shortCode(dto.short_code);
    if (code === '') throw new BadRequestError('scope=anon needs a short_code', 'short_code');
    const link = await this.known(code, caller.ownerId);
    if (link.ownerId !== null && link.ownerId === caller.ownerId) return link;
    if (link.privateStats) {
      throw caller.ownerId === null ? new PrivateStatisticsError() : new ForeignStatisticsError();
    }
    if (link.passwordHash !== null) await this.passwords.verify(link, presented);
    return link;
  }

  /** scope=all: returns the requested link, or null for several or all links. */
  private async own(dto: AccountStatisticsDto, caller: Caller): Promise<Link | null> {
    const { ownerId } = caller.demandPrincipal();
    const code = shortCode(dto.short_code);
    if (code === '' || code.includes(',')) return null;
    const link = await this.known(code, ownerId);
    if (link.ownerId !== ownerId) throw new ForeignStatisticsError();
    return link;
  }

  private async known(code: string, ownerId: string | null): Promise<Link> {
    const key = this.addresses.keyOfLabel(code, ownerId);
    const link = key === null ? null : await this.links.findByAlias(key);
    if (link === null) throw new UnknownLinkError('statistics');
    return link;
  }

  private async creation(link: Link | null, caller: Caller): Promise<number | null> {
    if (link !== null) return link.createdAt.getTime();
    return this.links.oldestCreation(caller.demandPrincipal().ownerId);
  }

  private async source(
    link: Link | null,
    caller: Caller,
    { filters }: StatisticsParameters,
  ): Promise<Source> {
    const named = link && [toLinkName(link, this.addresses.statisticsLabel(link.alias))];
    const { short_code: codes, url_id: ids } = filters;
    if (codes === undefined && ids === undefined) {
      return named === null ? { ownerId: caller.demandPrincipal().ownerId } : { links: named };
    }
    const { ownerId } = caller.demandPrincipal();
    const choices = [
      named,
      codes && (await this.chosen(ownerId, { aliases: this.linkKeys(codes, ownerId) })),
      ids && (await this.chosen(ownerId, { ids: unique(ids.map(linkId)) })),
    ].filter((links) => links != null);
    const [first = [], ...others] = choices;
    const inAll = ({ id }: LinkName) =>
      others.every((links) => links.some((link) => link.id === id));
    return { links: first.filter(inAll) };
  }

  /** Throws 404 unless all links exist. */
  private async chosen(
    ownerId: string,
    only: { aliases: string[] } | { ids: string[] },
  ): Promise<LinkName[]> {
    const wanted = 'ids' in only ? only.ids : only.aliases;
    const found = await this.links.findNames(ownerId, only);
    if (found.length < wanted.length) throw new UnknownLinkError('statistics');
    return found.map(({ id, alias, since }) => {
      return { id, alias: this.addresses.statisticsLabel(alias), since };
    });
  }

  /** Throws 404 for an invalid code. */
  private linkKeys(codes: readonly string[], ownerId: string): string[] {
    const keys = codes.map((code) => this.addresses.keyOfLabel(code, ownerId));
    if (keys.includes(null)) throw new UnknownLinkError('statistics');
    return unique(keys as string[]);
  }
}

/** Whether the query uses tags. Tags may change between two equal queries. */
function usesTags({ groupBy, filters }: StatisticsParameters): boolean {
  return groupBy.includes('tag') || filters.tag !== undefined;
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}

/** Throws 404 for a malformed id. */
function linkId(text: string): string {
  if (!isId(text)) throw new UnknownLinkError('statistics');
  return text.toLowerCase();
}

/** Single-link statistics cannot list or filter links, and only the owner sees the tags. */
function refuseLinkChoice(
  { groupBy, filters }: StatisticsParameters,
  dto: Pick<AccountStatisticsDto, 'url_id' | 'tag'>,
): void {
  for (const name of ['short_code', 'tag'] as const) {
    if (!groupBy.includes(name)) continue;
    throw new BadRequestError(`group_by=${name} needs scope=all`, 'group_by');
  }
  for (const name of ['short_code', 'url_id', 'tag'] as const) {
    if (filters[name] === undefined) continue;
    const isParameter = name !== 'short_code' && dto[name] !== undefined;
    throw new BadRequestError(
      `A filter by ${name} needs scope=all`,
      isParameter ? name : 'filters',
    );
  }
}

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

export interface PublicRequest {
  code: string;
  /** The link's domain; by default the host of BASE_URL. */
  domain?: string;
  period: PeriodDto;
  caller: Caller;
  client: StatisticsClient;
  presented: PresentedPassword;
}

@Injectable()
export class PublicScopes {
  constructor(
    private readonly links: LinkReads,
    private readonly passwords: LinkPasswordVerifier,
    private readonly addresses: LinkAddresses,
  ) {}

  /** Throws the same 404 for unknown and private links. Owners do not need a password for their links. */
  async find(
    request: PublicRequest,
  ): Promise<{ scope: StatisticsScope; link: Link; isOwner: boolean }> {
    const key = this.addresses.keyAt(request.domain ?? null, request.code);
    const link = key === null ? null : await this.links.findVisited(key);
    const isOwner = link?.ownerId != null && link.ownerId === request.caller.ownerId;
    if (link === null || (link.privateStats && !isOwner)) throw new UnknownLinkError('statistics');
    if (link.passwordHash !== null && !isOwner)
      await this.passwords.verify(link, request.presented);
    const label = this.addresses.statisticsLabel(link.alias);
    const parameters = publicParameters(request.period);
    const scope: StatisticsScope = {
      name: 'anon',
      source: { links: [toLinkName(link, label)] },
      parameters,
      period: readPeriod(request.period, Date.now()),
      shortCode: label,
      link: null,
      requestKey: toRequestKey('link', request.period, parameters),
      clicks: link.totalClicks,
      isPublic: !link.privateStats,
    };
    return { scope, link, isOwner };
  }
}
