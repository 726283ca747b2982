import { Injectable } from '@nestjs/common';
import type { Principal } from '../auth/access';
import type { HttpResult, JsonParts } from '../common/http/http-result';
import { LinkAddresses } from '../stores/domains/link-addresses';
import { type StatisticsClient, StatisticsEngine } from './engine/statistics-engine';
import { MAX_RESULT_ROWS } from '../engines/click-engine/query/statistics-query';
import { ImportedClicksService } from './report/imported-clicks.service';
import type { LinkStatisticsDto } from './query/statistics.dto';
import { toQuery } from './query/statistics-parameters';
import { publicLink } from './report/public-statistics.response';
import { statisticsJson } from './report/statistics.response';
import {
  type AccountRequest,
  AccountScopes,
  LinkScopes,
  type PublicRequest,
  PublicScopes,
} from './scope/scopes';
import type { StatisticsScope } from './scope/statistics-scope';

@Injectable()
export class StatisticsService {
  constructor(
    private readonly accounts: AccountScopes,
    private readonly links: LinkScopes,
    private readonly publics: PublicScopes,
    private readonly engine: StatisticsEngine,
    private readonly addresses: LinkAddresses,
    private readonly imported: ImportedClicksService,
  ) {}

  async ofAccount(request: AccountRequest): Promise<HttpResult> {
    const scope = await this.accounts.find(request, { fromCreation: true });
    const titlesOf = (labels: readonly string[]) =>
      this.accounts.findTitles(labels, request.caller);
    return written(await this.report(scope, request.client, titlesOf));
  }

  async ofLink(
    id: string,
    dto: LinkStatisticsDto,
    principal: Principal,
    client: StatisticsClient,
  ): Promise<HttpResult> {
    const scope = await this.links.find(id, dto, principal);
    return written(await this.report(scope, client));
  }

  async ofPublic(request: PublicRequest): Promise<HttpResult> {
    const { scope, link, isOwner } = await this.publics.find(request);
    const about = {
      generation: link.generation,
      link: publicLink(link, this.addresses.find(link.alias), isOwner),
    };
    const stats = await this.report(scope, request.client);
    return written([`${JSON.stringify(about).slice(0, -1)},"stats":`, ...stats, '}']);
  }

  /** Returns the counted range, which may be that of an equal earlier query. */
  private async report(
    scope: StatisticsScope,
    client: StatisticsClient,
    titlesOf?: (labels: readonly string[]) => Promise<Record<string, string>>,
  ): Promise<JsonParts> {
    const { parameters, period } = scope;
    const query = toQuery(parameters, period);
    const wanted = { rows: parameters.limit ?? MAX_RESULT_ROWS, metrics: parameters.metrics };
    const [report, imported] = await Promise.all([
      this.engine.report({ ...scope, query, client }, wanted),
      this.imported.find(scope.source, period, wanted.rows),
    ]);
    const titles = report.shortCodes && (await titlesOf?.(report.shortCodes));
    const counted = { ...scope, period: { ...period, ...report.range } };
    return statisticsJson(counted, report, { imported, titles });
  }
}

function written(parts: JsonParts): HttpResult {
  return { kind: 'json-parts', parts };
}
