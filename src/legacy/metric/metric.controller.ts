import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../../auth/access.decorator';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { Operation } from '../../common/openapi/operation.decorator';
import { MetricResponse, MetricService } from './metric.service';

@ApiTags('Service')
@Controller('metric')
@Access.public()
@RateLimit.none()
export class MetricController {
  constructor(private readonly service: MetricService) {}

  @Get()
  @Operation({
    id: 'getTotals',
    summary: 'How many links and clicks there are',
    description: 'Sums over the whole service, at most a minute old.',
  })
  @ApiOkResponse({ type: MetricResponse, description: 'The sums, exact and shortened' })
  read(): Promise<MetricResponse> {
    return this.service.read();
  }
}
