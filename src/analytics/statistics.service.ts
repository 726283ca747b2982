import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller';
import type { Principal } from '../access/principal';
import { HttpOptions } from '../config/options';
import { StatisticsEngine } from './engine/statistics-engine';
import type { AccountStatisticsDto } from './query/account-statistics.dto';
import type { LinkStatisticsDto } from './query/link-statistics.dto';
import { toQuestion } from './query/statistics-query';
import { publicLink, type PublicReport } from './report/public-report';
import { MOST_ROWS, reportOf } from './report/report';
import type { StatisticsReport } from './report/statistics-report';
import { AccountSubjects } from './subject/account-subjects';
import { LinkSubjects } from './subject/link-subjects';
import { type PublicRequest, PublicSubjects } from './subject/public-subjects';
import type { Subject } from './subject/subject';

/** The statistics endpoints (contract 9). */
@Injectable()
export class StatisticsService {
  constructor(
    private readonly accounts: AccountSubjects,
    private readonly links: LinkSubjects,
    private readonly publics: PublicSubjects,
    private readonly engine: StatisticsEngine,
    private readonly http: HttpOptions,
  ) {}

  async ofAccount(query: AccountStatisticsDto, caller: Caller): Promise<StatisticsReport> {
    return this.report(await this.accounts.find(query, caller, { fromCreation: true }));
  }

  async ofLink(
    id: string,
    query: LinkStatisticsDto,
    principal: Principal,
  ): Promise<StatisticsReport> {
    return this.report(await this.links.find(id, query, principal));
  }

  async ofPublic(asked: PublicRequest): Promise<PublicReport> {
    const { subject, link, isOwner } = await this.publics.find(asked);
    return {
      generation: link.generation,
      link: publicLink(link, this.http.baseUrl, isOwner),
      stats: await this.report(subject),
    };
  }

  private async report(subject: Subject): Promise<StatisticsReport> {
    const question = toQuestion(subject.query, subject.period);
    return reportOf(subject, await this.engine.count(subject.source, question, MOST_ROWS));
  }
}
