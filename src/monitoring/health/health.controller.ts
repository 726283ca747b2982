import { Controller, Get, Res } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import type express from 'express';
import { Access } from '../../auth/access';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { Operation, Returns } from '../../common/http/route.decorators';
import { HealthService } from './health.service';
import { HealthResponse } from './health.response';

@ApiTags('Service')
@Controller('health')
@Access.public()
@RateLimit.none()
export class HealthController {
  constructor(private readonly service: HealthService) {}

  @Get()
  @Operation({
    id: 'getHealth',
    summary: "Check the service's health",
    description:
      'Checks the database, cache, mail server, ClickHouse and click recording, at most once a second.',
  })
  @Returns(200, HealthResponse, 'Healthy or degraded')
  @ApiResponse({ status: 503, type: HealthResponse, description: 'Unhealthy' })
  async report(@Res({ passthrough: true }) response: express.Response) {
    const answer = await this.service.report();
    response.status(answer.status === 'unhealthy' ? 503 : 200);
    return answer;
  }
}
