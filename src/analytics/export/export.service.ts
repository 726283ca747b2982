import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/principal';
import type { FileResult } from '../../common/http/http-result';
import type { StatisticsClient } from '../engine/question-queue';
import { StatisticsEngine } from '../engine/statistics-engine';
import type { AccountExportDto, LinkExportDto } from '../query/statistics.dto';
import { toQuestion } from '../query/statistics-query';
import { type AccountRequest, AccountScopes } from '../scope/account-scopes';
import { LinkScopes } from '../scope/link-scopes';
import type { StatisticsScope } from '../scope/statistics-scope';
import { attachment, contentType, type ExportFormat } from './file-formats';
import { FileWriterThread } from './file-writer.thread';
import { statisticsFile } from './statistics-file';

const STEM = 'curtail-export';

/** The export endpoints (docs/contract.md#10): statistics as files, streamed. */
@Injectable()
export class ExportService {
  constructor(
    private readonly accounts: AccountScopes,
    private readonly links: LinkScopes,
    private readonly engine: StatisticsEngine,
    private readonly writer: FileWriterThread,
  ) {}

  async ofAccount(asked: AccountRequest<AccountExportDto>): Promise<FileResult> {
    const subject = await this.accounts.find(asked, { fromCreation: false });
    return this.file(subject, asked.asker, asked.query.format, STEM);
  }

  async ofLink(
    id: string,
    query: LinkExportDto,
    principal: Principal,
    asker: StatisticsClient,
  ): Promise<FileResult> {
    const subject = await this.links.find(id, query, principal);
    const stem = `${STEM}-${subject.link?.alias ?? ''}`;
    return this.file(subject, asker, query.format, stem);
  }

  /** Everything that can be refused is refused before the first byte. */
  private async file(
    subject: StatisticsScope,
    asker: StatisticsClient,
    format: ExportFormat,
    stem: string,
  ): Promise<FileResult> {
    const question = toQuestion(subject.query, subject.period);
    const figures = await this.engine.open(subject.source, question, { asker, ...subject });
    return {
      kind: 'file',
      contentType: contentType(format),
      disposition: attachment(stem, format),
      open: () => this.writer.write(format, statisticsFile(subject, figures)),
      close: () => figures.close(),
    };
  }
}
