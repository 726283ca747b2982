import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/principal';
import type { FileResult } from '../../common/http/http-result';
import { ImportedClicksService } from '../report/imported-clicks.service';
import { openResult } from '../engine/open-result';
import { type StatisticsClient, StatisticsEngine } from '../engine/statistics-engine';
import type { AccountExportDto, LinkExportDto } from '../query/statistics.dto';
import { toQuery } from '../query/statistics-parameters';
import { type AccountRequest, AccountScopes } from '../scope/account-scopes';
import { LinkScopes } from '../scope/link-scopes';
import type { StatisticsScope } from '../scope/statistics-scope';
import { attachment, contentType } from '../../infrastructure/files/file-formats';
import { FileWriterThread } from '../../infrastructure/files/file-writer.thread';
import { statisticsFile } from './statistics-file';

export type RequestedFile = Pick<LinkExportDto, 'format' | 'bom'>;

interface FileStyle {
  /** Link alias, for the file name. */
  readonly alias?: string;
  /** Time format; see statisticsFile. */
  readonly times?: 'text' | 'dates';
}

@Injectable()
export class ExportService {
  constructor(
    private readonly accounts: AccountScopes,
    private readonly links: LinkScopes,
    private readonly engine: StatisticsEngine,
    private readonly imported: ImportedClicksService,
    private readonly writer: FileWriterThread,
  ) {}

  async ofAccount(request: AccountRequest<AccountExportDto>): Promise<FileResult> {
    const scope = await this.accounts.find(request, { fromCreation: false });
    return this.file(scope, request.client, request.query);
  }

  async ofLink(
    id: string,
    query: LinkExportDto,
    principal: Principal,
    client: StatisticsClient,
  ): Promise<FileResult> {
    const scope = await this.links.find(id, query, principal);
    return this.file(scope, client, query, { alias: scope.link?.alias });
  }

  /** Rejects invalid requests before it sends the first byte. */
  async file(
    scope: StatisticsScope,
    client: StatisticsClient,
    { format, bom }: RequestedFile,
    { alias, times }: FileStyle = {},
  ): Promise<FileResult> {
    const query = toQuery(scope.parameters, scope.period);
    const imported = await this.imported.find(scope.source, scope.period, Infinity);
    const stem = alias === undefined ? 'curtail-export' : `curtail-export-${alias}`;
    const result = await openResult(this.engine, { ...scope, query, client });
    return {
      kind: 'file',
      contentType: contentType(format),
      disposition: attachment(stem, format),
      open: () => this.writer.write(format, statisticsFile(scope, result, imported, times), bom),
      close: () => result.close(),
    };
  }
}
