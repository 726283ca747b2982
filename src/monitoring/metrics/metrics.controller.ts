import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Access } from '../../auth/access';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { MetricsService } from './metrics.service';

@ApiExcludeController()
@Controller('metrics')
@Access.public()
@RateLimit.none()
export class MetricsController {
  constructor(private readonly service: MetricsService) {}

  @Get()
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  @Header('Cache-Control', 'no-store')
  expose(): Promise<string> {
    return this.service.expose();
  }
}
