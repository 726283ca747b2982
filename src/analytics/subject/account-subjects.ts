import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/caller';
import { RuleError } from '../../core/errors';
import type { Link } from '../../links/lookup/link';
import { LinkLookupRepository } from '../../links/lookup/link.repository';
import type { Source } from '../engine/query-runner';
import type { AccountStatisticsDto } from '../query/account-statistics.dto';
import { readPeriod } from '../query/period';
import { accountQuery, type StatisticsQuery } from '../query/statistics-query';
import { OwnedLinksRepository } from './owned-links.repository';
import { shortCode } from './short-code';
import type { Subject } from './subject';
import { ForeignStatisticsError, LinkUnknownError, PrivateStatisticsError } from './subject.errors';

/** Decides what GET /api/v1/stats and /export are about, and whether the caller may know it. */
@Injectable()
export class AccountSubjects {
  constructor(
    private readonly links: LinkLookupRepository,
    private readonly owned: OwnedLinksRepository,
  ) {}

  /** `fromCreation`: without a start date the range begins with the links themselves. */
  async find(
    dto: AccountStatisticsDto,
    caller: Caller,
    { fromCreation }: { fromCreation: boolean },
  ): Promise<Subject> {
    const link =
      dto.scope === 'anon' ? await this.shared(dto, caller) : await this.own(dto, caller);
    const query = accountQuery(dto);
    if (dto.scope === 'anon') refuseShortCodes(query);
    const creation = fromCreation ? await this.creation(link, caller) : null;
    return {
      scope: dto.scope,
      source: sourceOf(link, caller, query),
      query,
      period: readPeriod(dto, Date.now(), creation),
      shortCode: link?.alias ?? null,
      link: null,
    };
  }

  /** scope=anon: a link with public statistics, or one of the caller's own. */
  private async shared(dto: AccountStatisticsDto, caller: Caller): Promise<Link> {
    caller.demandAccess();
    const code = shortCode(dto.short_code);
    if (code === '') throw new RuleError('scope=anon needs a short_code', 'short_code');
    const link = await this.known(code);
    if (!link.privateStats) return link;
    if (caller.userId === null) throw new PrivateStatisticsError();
    if (link.ownerId !== caller.userId) throw new ForeignStatisticsError();
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
    return this.owned.oldestCreation(caller.demandPrincipal().userId);
  }
}

function sourceOf(link: Link | null, caller: Caller, { filters }: StatisticsQuery): Source {
  const wanted = filters.short_code?.map(shortCode) ?? null;
  if (link === null) return { ownerId: caller.demandPrincipal().userId, aliases: wanted };
  const excluded = wanted !== null && !wanted.includes(link.alias);
  return { links: excluded ? [] : [{ id: link.id, alias: link.alias }] };
}

/** One link is asked about: it can be neither listed nor chosen. */
function refuseShortCodes({ groupBy, filters }: StatisticsQuery): void {
  if (groupBy.includes('short_code')) {
    throw new RuleError('group_by=short_code needs scope=all', 'group_by');
  }
  if (filters.short_code !== undefined) {
    throw new RuleError('A filter by short_code needs scope=all', 'filters');
  }
}
