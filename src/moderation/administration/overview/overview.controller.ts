import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { AdminAccess } from '../../../auth/admin-access.decorator';
import { Operation } from '../../../common/openapi/operation.decorator';
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
    summary: 'The service at a glance',
    description:
      'Figures of the whole service, at most 30 s old; days are those of UTC. A figure that cannot be had is null.',
  })
  @ApiOkResponse({ type: AdminOverviewResponse, description: 'The figures' })
  show(): Promise<AdminOverviewResponse> {
    return this.service.overview();
  }
}
