import { Injectable } from '@nestjs/common';
import { CheckState, HealthProbe } from './health/health';
import { MailProbe } from './platform/mail/mail-probe';
import { RedisConnection } from './platform/redis/redis-connection';

/** Joins /health to the dependencies that it asks after. */
@Injectable()
export class Probes extends HealthProbe {
  constructor(
    private readonly redis: RedisConnection,
    private readonly mailServer: MailProbe,
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
