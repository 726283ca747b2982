import { Injectable } from '@nestjs/common';
import type { Principal } from '../auth/principal';
import { HttpOptions } from '../config/options';
import type { StatisticsClient } from './engine/query-queue';
import { RemoteEngine } from './engine/remote-engine';
import { MOST_ROWS } from './engine/statistics-result';
import type { LinkStatisticsDto } from './query/statistics.dto';
import { toQuery } from './query/statistics-parameters';
import { publicLink, type PublicStatisticsResponse } from './report/public-statistics.response';
import { toStatisticsResponse } from './report/statistics.response';
import type { StatisticsResponse } from './report/statistics.response';
import { type AccountRequest, AccountScopes } from './scope/account-scopes';
import { LinkScopes } from './scope/link-scopes';
import { type PublicRequest, PublicScopes } from './scope/public-scopes';
import type { StatisticsScope } from './scope/statistics-scope';

/** The statistics endpoints (docs/contract.md#9). */
@Injectable()
export class StatisticsService {
  constructor(
    private readonly accounts: AccountScopes,
    private readonly links: LinkScopes,
    private readonly publics: PublicScopes,
    private readonly engine: RemoteEngine,
    private readonly http: HttpOptions,
  ) {}

  async ofAccount(request: AccountRequest): Promise<StatisticsResponse> {
    const scope = await this.accounts.find(request, { fromCreation: true });
    return this.report(scope, request.client);
  }

  async ofLink(
    id: string,
    dto: LinkStatisticsDto,
    principal: Principal,
    client: StatisticsClient,
  ): Promise<StatisticsResponse> {
    return this.report(await this.links.find(id, dto, principal), client);
  }

  async ofPublic(request: PublicRequest): Promise<PublicStatisticsResponse> {
    const { scope, link, isOwner } = await this.publics.find(request);
    return {
      generation: link.generation,
      link: publicLink(link, this.http.baseUrl, isOwner),
      stats: await this.report(scope, request.client),
    };
  }

  /** The range of the answer is the one that was counted, a moment ago for an equal query. */
  private async report(
    scope: StatisticsScope,
    client: StatisticsClient,
  ): Promise<StatisticsResponse> {
    const { source, parameters, period } = scope;
    const query = toQuery(parameters, period);
    const result = await this.engine.count(source, query, MOST_ROWS, { client, ...scope });
    return toStatisticsResponse({ ...scope, period: { ...period, ...result.range } }, result);
  }
}
