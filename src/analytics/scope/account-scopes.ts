import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller';
import { BadRequestError } from '../../common/errors';
import type { Link } from '../../links/link';
import { LinksRepository } from '../../links/links.repository';
import type { StatisticsClient } from '../engine/query-queue';
import type { Source } from '../engine/statistics-query';
import type { AccountStatisticsDto } from '../query/statistics.dto';
import { readPeriod } from '../query/period';
import {
  accountParameters,
  type StatisticsParameters,
  requestKeyOf,
} from '../query/statistics-parameters';
import {
  LinkPasswordVerifier,
  type PresentedPassword,
} from '../../redirect/link-password/link-password.verifier';
import { shortCode } from './statistics-scope';
import type { StatisticsScope } from './statistics-scope';
import {
  ForeignStatisticsError,
  LinkUnknownError,
  PrivateStatisticsError,
} from './statistics-scope';

/** A request for the statistics of an account, or of one link that it names. */
export interface AccountRequest<Query extends AccountStatisticsDto = AccountStatisticsDto> {
  query: Query;
  caller: Caller;
  client: StatisticsClient;
  /** What the header presents as the password of the link. */
  presented: PresentedPassword;
}

/** Decides what GET /api/v1/stats and /export are about, and whether the caller may know it. */
@Injectable()
export class AccountScopes {
  constructor(
    private readonly links: LinksRepository,
    private readonly passwords: LinkPasswordVerifier,
  ) {}

  /** `fromCreation`: without a start date the range begins with the links themselves. */
  async find(
    request: AccountRequest,
    { fromCreation }: { fromCreation: boolean },
  ): Promise<StatisticsScope> {
    const { query: dto, caller } = request;
    const parameters = accountParameters(dto);
    const link = dto.scope === 'anon' ? await this.shared(request) : await this.own(dto, caller);
    if (dto.scope === 'anon') refuseShortCodes(parameters);
    const creation = fromCreation ? await this.creation(link, caller) : null;
    return {
      name: dto.scope,
      source: sourceOf(link, caller, parameters),
      parameters,
      period: readPeriod(dto, Date.now(), creation),
      shortCode: link?.alias ?? null,
      link: null,
      requestKey: requestKeyOf(fromCreation ? 'account' : 'link', dto, parameters),
      clicks: link?.totalClicks ?? null,
      isPublic: dto.scope === 'anon' && link?.privateStats === false,
    };
  }

  /** scope=anon: a link with public statistics, or one of the caller's own. */
  private async shared({ query: dto, caller, presented }: AccountRequest): Promise<Link> {
    caller.demandAccess();
    const code = shortCode(dto.short_code);
    if (code === '') throw new BadRequestError('scope=anon needs a short_code', 'short_code');
    const link = await this.known(code);
    if (link.ownerId !== null && link.ownerId === caller.userId) return link;
    if (link.privateStats) {
      throw caller.userId === null ? new PrivateStatisticsError() : new ForeignStatisticsError();
    }
    if (link.passwordHash !== null) await this.passwords.verify(link, presented);
    return link;
  }

  /** scope=all: all links of the caller (null), or the named one. */
  private async own(dto: AccountStatisticsDto, caller: Caller): Promise<Link | null> {
    const { userId } = caller.demandPrincipal();
    const code = shortCode(dto.short_code);
    if (code === '') return null;
    const link = await this.known(code);
    if (link.ownerId !== userId) throw new ForeignStatisticsError();
    return link;
  }

  private async known(code: string): Promise<Link> {
    const link = await this.links.findByAlias(code);
    if (link === null) throw new LinkUnknownError();
    return link;
  }

  private async creation(link: Link | null, caller: Caller): Promise<number | null> {
    if (link !== null) return link.createdAt.getTime();
    return this.links.oldestCreation(caller.demandPrincipal().userId);
  }
}

function sourceOf(link: Link | null, caller: Caller, { filters }: StatisticsParameters): Source {
  const wanted = filters.short_code?.map(shortCode) ?? null;
  if (link === null) return { ownerId: caller.demandPrincipal().userId, aliases: wanted };
  const excluded = wanted !== null && !wanted.includes(link.alias);
  return { links: excluded ? [] : [{ id: link.id, alias: link.alias }] };
}

/** The scope is one link: it can be neither listed nor chosen. */
function refuseShortCodes({ groupBy, filters }: StatisticsParameters): void {
  if (groupBy.includes('short_code')) {
    throw new BadRequestError('group_by=short_code needs scope=all', 'group_by');
  }
  if (filters.short_code !== undefined) {
    throw new BadRequestError('A filter by short_code needs scope=all', 'filters');
  }
}
