import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access, Caller, CurrentCaller, CurrentPrincipal, type Principal } from '../auth/access';
import { AlsoLimited, RateLimit } from '../auth/rate-limit/rate-limits';
import { ApiErrors, IdParam, Operation } from '../common/http/route.decorators';
import { type HttpResult, SendsResult } from '../common/http/http-result';
import { PASSWORD_CODES } from '../common/openapi/error-answers';
import {
  PASSWORD_LIMITS,
  type PresentedPassword,
} from '../redirect/link-password/link-password.verifier';
import { CurrentStatisticsClient } from './engine/statistics-client.decorator';
import type { StatisticsClient } from './engine/statistics-engine';
import { AccountStatisticsDto, LinkStatisticsDto } from './query/statistics.dto';
import { CurrentHeaderPassword, LinkPasswordHeader } from './query/link-password';
import { StatisticsResponse } from './report/statistics.response';
import { StatisticsService } from './statistics.service';

@ApiTags('Statistics')
@Controller('api/v1/stats')
export class StatisticsController {
  constructor(private readonly service: StatisticsService) {}

  @Get()
  @Access.deferred('stats:read', 'urls:read')
  @RateLimit('stats.account')
  @AlsoLimited(PASSWORD_LIMITS)
  @LinkPasswordHeader()
  @SendsResult()
  @Operation({
    id: 'getStatistics',
    summary: 'Read statistics for an account or link',
    description:
      "`scope=all` counts clicks on all of your links and requires a credential. `scope=anon` counts clicks on the link in `short_code` if its statistics are public. `tag` and `group_by=tag` apply links' current tags to their whole history.",
  })
  @ApiOkResponse({ type: StatisticsResponse, description: 'The figures' })
  @ApiErrors(404, [401, ...PASSWORD_CODES], [403, 'forbidden'])
  ofAccount(
    @Query() query: AccountStatisticsDto,
    @CurrentCaller() caller: Caller,
    @CurrentStatisticsClient() client: StatisticsClient,
    @CurrentHeaderPassword() presented: PresentedPassword,
  ): Promise<HttpResult> {
    return this.service.ofAccount({ query, caller, client, presented });
  }

  @Get('links/:url_id')
  @Access('stats:read', 'urls:read')
  @RateLimit('stats.link')
  @SendsResult()
  @Operation({
    id: 'getLinkStatistics',
    summary: 'Read statistics for your link',
    description:
      "Counts clicks on one of your links. The link's ID does not change if its alias does.",
  })
  @ApiOkResponse({ type: StatisticsResponse, description: 'The figures' })
  @ApiErrors(404)
  ofLink(
    @IdParam("The link's ID", 'url_id') id: string,
    @Query() query: LinkStatisticsDto,
    @CurrentPrincipal() principal: Principal,
    @CurrentStatisticsClient() client: StatisticsClient,
  ): Promise<HttpResult> {
    return this.service.ofLink(id, query, principal, client);
  }
}
