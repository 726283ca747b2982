import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../../auth/access.decorator';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { ApiErrors } from '../../common/http/api-errors.decorator';
import { MetricResponse } from './metric.service';
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
