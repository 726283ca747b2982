import { Injectable } from '@nestjs/common';
import { CheckState, HealthIndicators } from './health.service';
import { MailHealthIndicator } from '../infrastructure/mail/mail-health.indicator';
import { RedisConnection } from '../infrastructure/redis/redis-connection';

/** Joins /health to the dependencies that it asks after. */
@Injectable()
export class DependencyIndicators extends HealthIndicators {
  constructor(
    private readonly redis: RedisConnection,
    private readonly mailServer: MailHealthIndicator,
  ) {
    super();
  }

  cache(): Promise<CheckState> {
    return this.redis.state();
  }

  mail(): Promise<CheckState> {
    return this.mailServer.state();
  }
}
