import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Principal } from '../../auth/principal';
import type { StatisticsClient } from '../engine/question-queue';
import { type OpenResult, StatisticsEngine } from '../engine/statistics-engine';
import type { AccountExportDto, LinkExportDto } from '../query/statistics.dto';
import { toQuestion } from '../query/statistics-query';
import { type AccountRequest, AccountScopes } from '../scope/account-scopes';
import { LinkScopes } from '../scope/link-scopes';
import type { StatisticsScope } from '../scope/statistics-scope';
import { attachment, contentType } from './export-format';
import { csvZip } from './csv';
import type { ExportFormat } from './export-format';
import { jsonText } from './json';
import { fileDocument, fileTables } from './statistics-file';
import { xlsxWorkbook } from './xlsx';
import { xmlText } from './xml';

const STEM = 'curtail-export';

/** The export endpoints (docs/contract.md#10): statistics as files, streamed. */
@Injectable()
export class ExportService {
  constructor(
    private readonly accounts: AccountScopes,
    private readonly links: LinkScopes,
    private readonly engine: StatisticsEngine,
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
      await pipeline(fileOf(subject, figures, format), response);
    } catch (error) {
      // Who stops reading has no use for an answer; nothing is wrong here.
      if (!response.destroyed || !isPrematureClose(error)) throw error;
    } finally {
      await figures.close();
    }
  }
}

function fileOf(
  subject: StatisticsScope,
  figures: OpenResult,
  format: ExportFormat,
): NodeJS.ReadableStream {
  switch (format) {
    case 'json':
      return Readable.from(jsonText(fileDocument(subject, figures)));
    case 'xml':
      return Readable.from(xmlText(fileDocument(subject, figures)));
    case 'csv':
      return csvZip(fileTables(subject, figures, 'summary'));
    case 'xlsx':
      return xlsxWorkbook(fileTables(subject, figures, 'Summary'));
  }
}

function isPrematureClose(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
