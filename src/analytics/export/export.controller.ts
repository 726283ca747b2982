import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Access } from '../../auth/access.decorator';
import { Caller, CurrentCaller, CurrentPrincipal } from '../../auth/caller';
import type { Principal } from '../../auth/principal';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { ApiErrors } from '../../common/http/api-errors.decorator';
import { ParseIdPipe } from '../../common/http/parse-id.pipe';
import { type FileResult, SendsResult } from '../../common/http/http-result';
import { LinkPasswordAttempts } from '../../redirect/link-password/link-password.verifier';
import { CurrentStatisticsClient } from '../statistics-client.decorator';
import type { StatisticsClient } from '../engine/query-queue';
import { LinkPasswordHeader, linkPasswordOf } from '../query/link-password';
import { AccountExportDto, LinkExportDto } from '../query/statistics.dto';
import { contentType } from './file-formats';
import { EXPORT_FORMATS } from './file-formats';
import { ExportService } from './export.service';

const FILE = { schema: { type: 'string', format: 'binary' } };

@ApiTags('Statistics')
@Controller('api/v1/export')
@Access('stats:read', 'urls:read')
@ApiProduces(...EXPORT_FORMATS.map(contentType))
export class ExportController {
  constructor(
    private readonly service: ExportService,
    private readonly attempts: LinkPasswordAttempts,
  ) {}

  @Get()
  @RateLimit('export.account')
  @SendsResult()
  @LinkPasswordHeader()
  @ApiOkResponse({ description: 'A file', ...FILE })
  @ApiErrors(400, 401, 403, 404, 422, 429)
  ofAccount(
    @Query() query: AccountExportDto,
    @CurrentCaller() caller: Caller,
    @CurrentStatisticsClient() client: StatisticsClient,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<FileResult> {
    const presented = this.attempts.of(linkPasswordOf(request), request, response);
    return this.service.ofAccount({ query, caller, client, presented });
  }

  @Get('links/:url_id')
  @RateLimit('export.link')
  @SendsResult()
  @ApiOkResponse({ description: 'A file', ...FILE })
  @ApiErrors(400, 401, 403, 404, 422, 429)
  ofLink(
    @Param('url_id', ParseIdPipe) id: string,
    @Query() query: LinkExportDto,
    @CurrentPrincipal() principal: Principal,
    @CurrentStatisticsClient() client: StatisticsClient,
  ): Promise<FileResult> {
    return this.service.ofLink(id, query, principal, client);
  }
}
