import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AdminAccess } from '../../../auth/admin-access.decorator';
import { Operation, Returns } from '../../../common/http/route.decorators';
import { AdminOverviewResponse } from './overview.response';
import { AdminOverviewService } from './overview.service';

@ApiTags('Administration')
@Controller('api/v1/admin/overview')
export class AdminOverviewController {
  constructor(private readonly service: AdminOverviewService) {}

  @Get()
  @AdminAccess('read')
  @Operation({
    id: 'getServiceOverview',
    summary: 'Read service-wide figures',
    description:
      'Returns figures for the whole service, at most 30 s old; days are in UTC. Each process gathers them at most once every 20 s. A figure that takes too long to compute is null for 10 minutes. Click counts are null for days before the upgrade to the release that introduced them.',
  })
  @Returns(200, AdminOverviewResponse, 'The figures')
  show() {
    return this.service.overview();
  }
}
