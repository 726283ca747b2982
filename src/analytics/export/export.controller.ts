import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Caller, CurrentCaller, CurrentPrincipal, type Principal } from '../../auth/access';
import { AlsoLimited, RateLimit } from '../../auth/rate-limit/rate-limits';
import { ApiErrors, IdParam, Operation } from '../../common/http/route.decorators';
import { PASSWORD_CODES } from '../../common/openapi/error-answers';
import { type FileResult, SendsResult } from '../../common/http/http-result';
import {
  PASSWORD_LIMITS,
  type PresentedPassword,
} from '../../redirect/link-password/link-password.verifier';
import { CurrentStatisticsClient } from '../engine/statistics-client.decorator';
import type { StatisticsClient } from '../engine/statistics-engine';
import { CurrentHeaderPassword, LinkPasswordHeader } from '../query/link-password';
import { AccountExportDto, LinkExportDto } from '../query/statistics.dto';
import { StatisticsResponse } from '../report/statistics.response';
import { ExportFileResponse } from './export-file.decorator';
import { ExportService } from './export.service';

@ApiTags('Statistics')
@Controller('api/v1/export')
@Access('stats:read', 'urls:read')
export class ExportController {
  constructor(private readonly service: ExportService) {}

  @Get()
  @RateLimit('export.account')
  @AlsoLimited(PASSWORD_LIMITS)
  @SendsResult()
  @LinkPasswordHeader()
  @Operation({
    id: 'exportStatistics',
    summary: 'Download statistics for an account or link',
    description:
      'Returns the lists from GET /api/v1/stats with all rows, as a file. Always requires a credential.',
  })
  @ExportFileResponse(StatisticsResponse)
  @ApiErrors(404, [401, ...PASSWORD_CODES], [403, 'forbidden'])
  ofAccount(
    @Query() query: AccountExportDto,
    @CurrentCaller() caller: Caller,
    @CurrentStatisticsClient() client: StatisticsClient,
    @CurrentHeaderPassword() presented: PresentedPassword,
  ): Promise<FileResult> {
    return this.service.ofAccount({ query, caller, client, presented });
  }

  @Get('links/:url_id')
  @RateLimit('export.link')
  @SendsResult()
  @Operation({
    id: 'exportLinkStatistics',
    summary: 'Download statistics for your link',
    description:
      'Returns the lists from GET /api/v1/stats/links/{url_id} with all rows, as a file.',
  })
  @ExportFileResponse(StatisticsResponse)
  @ApiErrors(404)
  ofLink(
    @IdParam("The link's ID", 'url_id') id: string,
    @Query() query: LinkExportDto,
    @CurrentPrincipal() principal: Principal,
    @CurrentStatisticsClient() client: StatisticsClient,
  ): Promise<FileResult> {
    return this.service.ofLink(id, query, principal, client);
  }
}
