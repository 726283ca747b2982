import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Access } from '../auth/access.decorator';
import { Caller, CurrentCaller, CurrentPrincipal } from '../auth/caller';
import type { Principal } from '../auth/principal';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { ApiErrors } from '../common/http/api-errors.decorator';
import { ParseIdPipe } from '../common/http/parse-id.pipe';
import { LinkPasswordAttempts } from '../redirect/link-password/link-password.verifier';
import { CurrentStatisticsClient } from './statistics-client.decorator';
import type { StatisticsClient } from './engine/query-queue';
import { AccountStatisticsDto } from './query/statistics.dto';
import { LinkStatisticsDto } from './query/statistics.dto';
import { LinkPasswordHeader, linkPasswordOf } from './query/link-password';
import { StatisticsResponse } from './report/statistics.response';
import { StatisticsService } from './statistics.service';

@ApiTags('Statistics')
@Controller('api/v1/stats')
export class StatisticsController {
  constructor(
    private readonly service: StatisticsService,
    private readonly attempts: LinkPasswordAttempts,
  ) {}

  @Get()
  @Access.deferred('stats:read', 'urls:read')
  @RateLimit('stats.account')
  @LinkPasswordHeader()
  @ApiOkResponse({ type: StatisticsResponse })
  @ApiErrors(400, 401, 403, 404, 422, 429)
  ofAccount(
    @Query() query: AccountStatisticsDto,
    @CurrentCaller() caller: Caller,
    @CurrentStatisticsClient() client: StatisticsClient,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StatisticsResponse> {
    const presented = this.attempts.of(linkPasswordOf(request), request, response);
    return this.service.ofAccount({ query, caller, client, presented });
  }

  @Get('links/:url_id')
  @Access('stats:read', 'urls:read')
  @RateLimit('stats.link')
  @ApiOkResponse({ type: StatisticsResponse })
  @ApiErrors(400, 401, 403, 404, 422, 429)
  ofLink(
    @Param('url_id', ParseIdPipe) id: string,
    @Query() query: LinkStatisticsDto,
    @CurrentPrincipal() principal: Principal,
    @CurrentStatisticsClient() client: StatisticsClient,
  ): Promise<StatisticsResponse> {
    return this.service.ofLink(id, query, principal, client);
  }
}
