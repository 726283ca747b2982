import { Injectable } from '@nestjs/common';
import { MongoConnector } from '../platform/mongo/mongo-connector';
import { version } from '../core/version';
import { HealthAnswer, HealthProbe } from './health';

/** Asks each dependency how it is (contract 14); nothing is remembered between calls. */
@Injectable()
export class HealthService {
  constructor(
    private readonly mongo: MongoConnector,
    private readonly probes: HealthProbe,
  ) {}

  async report(): Promise<HealthAnswer> {
    const [reachable, cache, mail] = await Promise.all([
      this.mongo.isHealthy(),
      this.probes.cache(),
      this.probes.mail(),
    ]);
    const checks = { database: reachable ? 'ok' : 'error', cache, mail } as const;
    const limping = cache === 'error' || mail === 'error';
    const status = !reachable ? 'unhealthy' : limping ? 'degraded' : 'healthy';
    return { status, version: version(), checks };
  }
}
