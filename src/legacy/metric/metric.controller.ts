import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../../access/access.decorator';
import { RateLimit } from '../../access/rate-limit.decorator';
import { ApiFailures } from '../../http/api-failures';
import { Metric } from './metric';
import { MetricService } from './metric.service';

@ApiTags('v0')
@Controller('metric')
@Access.public()
@RateLimit.none()
export class MetricController {
  constructor(private readonly service: MetricService) {}

  @Get()
  @ApiOkResponse({ type: Metric })
  @ApiFailures()
  read(): Promise<Metric> {
    return this.service.read();
  }
}
