import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { pipeline } from 'node:stream/promises';
import type { Principal } from '../../auth/principal';
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

  async ofAccount(asked: AccountRequest<AccountExportDto>): Promise<void> {
    const subject = await this.accounts.find(asked, { fromCreation: false });
    await this.send(subject, asked.asker, asked.query.format, STEM, asked.response);
  }

  async ofLink(
    id: string,
    query: LinkExportDto,
    principal: Principal,
    asker: StatisticsClient,
    response: Response,
  ): Promise<void> {
    const subject = await this.links.find(id, query, principal);
    const stem = `${STEM}-${subject.link?.alias ?? ''}`;
    await this.send(subject, asker, query.format, stem, response);
  }

  /** Everything that can be refused is refused before the first byte. */
  private async send(
    subject: StatisticsScope,
    asker: StatisticsClient,
    format: ExportFormat,
    stem: string,
    response: Response,
  ): Promise<void> {
    const question = toQuestion(subject.query, subject.period);
    const figures = await this.engine.open(subject.source, question, { asker, ...subject });
    try {
      response.setHeader('Content-Type', contentType(format));
      response.setHeader('Content-Disposition', attachment(stem, format));
      await pipeline(this.writer.write(format, statisticsFile(subject, figures)), response);
    } catch (error) {
      // Who stops reading has no use for an answer; nothing is wrong here.
      if (!response.destroyed || !isPrematureClose(error)) throw error;
    } finally {
      await figures.close();
    }
  }
}

function isPrematureClose(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
