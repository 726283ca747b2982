import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../../access/access.decorator';
import { RateLimit } from '../../access/rate-limit.decorator';
import { ApiErrors } from '../../http/api-failures';
import { MetricResponse } from './metric';
import { MetricService } from './metric.service';

@ApiTags('v0')
@Controller('metric')
@Access.public()
@RateLimit.none()
export class MetricController {
  constructor(private readonly service: MetricService) {}

  @Get()
  @ApiOkResponse({ type: MetricResponse })
  @ApiErrors()
  read(): Promise<MetricResponse> {
    return this.service.read();
  }
}
