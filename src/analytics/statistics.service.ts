import { Injectable } from '@nestjs/common';
import type { Principal } from '../auth/principal';
import { HttpOptions } from '../config/options';
import type { StatisticsClient } from './engine/question-queue';
import { MOST_ROWS, StatisticsEngine } from './engine/statistics-engine';
import type { LinkStatisticsDto } from './query/statistics.dto';
import { toQuestion } from './query/statistics-query';
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
    private readonly engine: StatisticsEngine,
    private readonly http: HttpOptions,
  ) {}

  async ofAccount(asked: AccountRequest): Promise<StatisticsResponse> {
    const subject = await this.accounts.find(asked, { fromCreation: true });
    return this.report(subject, asked.asker);
  }

  async ofLink(
    id: string,
    query: LinkStatisticsDto,
    principal: Principal,
    asker: StatisticsClient,
  ): Promise<StatisticsResponse> {
    return this.report(await this.links.find(id, query, principal), asker);
  }

  async ofPublic(asked: PublicRequest): Promise<PublicStatisticsResponse> {
    const { subject, link, isOwner } = await this.publics.find(asked);
    return {
      generation: link.generation,
      link: publicLink(link, this.http.baseUrl, isOwner),
      stats: await this.report(subject, asked.asker),
    };
  }

  /** The range of the answer is the one that was counted, a moment ago for an equal question. */
  private async report(
    subject: StatisticsScope,
    asker: StatisticsClient,
  ): Promise<StatisticsResponse> {
    const { source, query, period } = subject;
    const question = toQuestion(query, period);
    const figures = await this.engine.count(source, question, MOST_ROWS, { asker, ...subject });
    return toStatisticsResponse({ ...subject, period: { ...period, ...figures.range } }, figures);
  }
}
