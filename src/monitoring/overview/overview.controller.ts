import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { StatisticsClient } from '../../analytics/engine/statistics-engine';
import { CurrentStatisticsClient } from '../../analytics/engine/statistics-client.decorator';
import { Access, CurrentPrincipal, type Principal } from '../../auth/access';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { Operation, Returns } from '../../common/http/route.decorators';
import { OverviewDto } from './overview.dto';
import { OverviewResponse } from './overview.response';
import { OverviewService } from './overview.service';

@ApiTags('Links')
@Controller('api/v1/overview')
@Access('urls:read')
export class OverviewController {
  constructor(private readonly service: OverviewService) {}

  @Get()
  @RateLimit('overview')
  @Operation({
    id: 'getOverview',
    summary: 'Read your account overview',
    description:
      'Returns your numbers of links and recent clicks, your most clicked links, and links that will close soon.',
  })
  @Returns(200, OverviewResponse, 'The figures', 400)
  show(
    @Query() query: OverviewDto,
    @CurrentPrincipal() caller: Principal,
    @CurrentStatisticsClient() client: StatisticsClient,
  ) {
    return this.service.overviewFor(query, caller, client);
  }
}
