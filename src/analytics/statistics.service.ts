import { Injectable } from '@nestjs/common';
import type { Principal } from '../access/principal';
import { HttpOptions } from '../config/options';
import type { Asker } from './engine/question-queue';
import { MOST_ROWS, StatisticsEngine } from './engine/statistics-engine';
import type { LinkStatisticsDto } from './query/link-statistics.dto';
import { toQuestion } from './query/statistics-query';
import { publicLink, type PublicReport } from './report/public-report';
import { reportOf } from './report/report';
import type { StatisticsReport } from './report/statistics-report';
import { type AccountRequest, AccountSubjects } from './subject/account-subjects';
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

  async ofAccount(asked: AccountRequest): Promise<StatisticsReport> {
    const subject = await this.accounts.find(asked, { fromCreation: true });
    return this.report(subject, asked.asker);
  }

  async ofLink(
    id: string,
    query: LinkStatisticsDto,
    principal: Principal,
    asker: Asker,
  ): Promise<StatisticsReport> {
    return this.report(await this.links.find(id, query, principal), asker);
  }

  async ofPublic(asked: PublicRequest): Promise<PublicReport> {
    const { subject, link, isOwner } = await this.publics.find(asked);
    return {
      generation: link.generation,
      link: publicLink(link, this.http.baseUrl, isOwner),
      stats: await this.report(subject, asked.asker),
    };
  }

  /** The range of the answer is the one that was counted, a moment ago for an equal question. */
  private async report(subject: Subject, asker: Asker): Promise<StatisticsReport> {
    const { source, query, period } = subject;
    const question = toQuestion(query, period);
    const figures = await this.engine.count(source, question, MOST_ROWS, { asker, ...subject });
    return reportOf({ ...subject, period: { ...period, ...figures.range } }, figures);
  }
}
