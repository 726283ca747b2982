import { DynamicModule, Module, Type } from '@nestjs/common';
import { RedisModule } from '../infrastructure/redis/redis-connection';
import { HealthIndicators } from './health.service';
import { HealthController } from './health.controller';
import { HealthService } from './health.service';

@Module({})
export class HealthModule {
  /** @param probe what answers for cache and mail; chosen at the top, where both are known */
  static of(probe: Type<HealthIndicators>): DynamicModule {
    return {
      module: HealthModule,
      imports: [RedisModule],
      controllers: [HealthController],
      providers: [HealthService, { provide: HealthIndicators, useClass: probe }],
    };
  }
}
