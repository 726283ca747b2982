import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../access/access.decorator';
import { Caller, CurrentCaller, CurrentPrincipal } from '../access/caller';
import type { Principal } from '../access/principal';
import { RateLimit } from '../access/rate-limit.decorator';
import { ApiFailures } from '../http/api-failures';
import { AccountStatisticsDto } from './query/account-statistics.dto';
import { LinkStatisticsDto } from './query/link-statistics.dto';
import { StatisticsReport } from './report/statistics-report';
import { StatisticsService } from './statistics.service';

@ApiTags('Statistics')
@Controller('api/v1/stats')
export class StatisticsController {
  constructor(private readonly service: StatisticsService) {}

  @Get()
  @Access.deferred('stats:read', 'urls:read')
  @RateLimit('stats.account')
  @ApiOkResponse({ type: StatisticsReport })
  @ApiFailures(400, 401, 403, 404, 422, 429)
  ofAccount(
    @Query() query: AccountStatisticsDto,
    @CurrentCaller() caller: Caller,
  ): Promise<StatisticsReport> {
    return this.service.ofAccount(query, caller);
  }

  @Get('links/:url_id')
  @Access('stats:read', 'urls:read')
  @RateLimit('stats.link')
  @ApiOkResponse({ type: StatisticsReport })
  @ApiFailures(400, 401, 403, 404, 422, 429)
  ofLink(
    @Param('url_id') id: string,
    @Query() query: LinkStatisticsDto,
    @CurrentPrincipal() principal: Principal,
  ): Promise<StatisticsReport> {
    return this.service.ofLink(id, query, principal);
  }
}
