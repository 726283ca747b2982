import { Injectable } from '@nestjs/common';
import { CheckState, HealthIndicators } from './health/health';
import { MailHealthIndicator } from './platform/mail/mail-probe';
import { RedisConnection } from './platform/redis/redis-connection';

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
