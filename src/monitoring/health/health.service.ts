import { Injectable } from '@nestjs/common';
import { version } from '../../common/package-info';
import { RecordingState } from '../../clicks/journal/recording-state';
import { ClickHouseConnection } from '../../infrastructure/click-house/click-house.module';
import { MailHealthIndicator } from '../../infrastructure/mail/mail-health.indicator';
import { MongoConnector } from '../../infrastructure/mongo/mongo-connector';
import { RedisConnection } from '../../infrastructure/redis/redis-connection';
import { DomainRegistry } from '../../stores/domains/domain-registry';
import { ClosedOwners } from '../../stores/links/closed-owners';
import { withTimeout } from '../../common/with-timeout';
import { type CheckState, HealthResponse } from './health.response';

const HEALTH_MAX_AGE_MS = 1000;
/** Timeout after which a dependency is considered failed. */
const TIMEOUT_MS = 2500;

/** Checks at most once a second, so that a flood of requests does not cause failures. */
@Injectable()
export class HealthService {
  private latest?: Promise<HealthResponse>;
  /** Time of the latest report; Infinity while it is being created. */
  private readyAt = Infinity;

  constructor(
    private readonly mongo: MongoConnector,
    private readonly domains: DomainRegistry,
    private readonly owners: ClosedOwners,
    private readonly redis: RedisConnection,
    private readonly mailServer: MailHealthIndicator,
    private readonly clickHouse: ClickHouseConnection,
    private readonly recordingState: RecordingState,
  ) {}

  report(): Promise<HealthResponse> {
    if (this.latest === undefined || performance.now() - this.readyAt >= HEALTH_MAX_AGE_MS) {
      this.readyAt = Infinity;
      this.latest = this.check().finally(() => (this.readyAt = performance.now()));
    }
    return this.latest;
  }

  private async check(): Promise<HealthResponse> {
    const [database, cache, mail, clickhouse, advice] = await Promise.all([
      stateInTime(this.database()),
      stateInTime(this.redis.state()),
      stateInTime(this.mailServer.state()),
      stateInTime(this.clickHouse.state()),
      this.recordingState.advice(),
    ]);
    const recording = advice === null ? 'ok' : 'error';
    const checks = { database, cache, mail, clickhouse, recording } as const;
    const isDegraded = [cache, mail, clickhouse, recording].includes('error');
    const status = database === 'error' ? 'unhealthy' : isDegraded ? 'degraded' : 'healthy';
    const hint = database === 'error' ? this.mongo.hint : advice;
    return { status, version: version(), checks, ...(hint !== null && { hint }) };
  }

  /** Until the domains and closed accounts are loaded, most requests get 503. */
  private async database(): Promise<'ok' | 'error'> {
    const isHealthy = await this.mongo.isHealthy();
    return isHealthy && this.domains.isLoaded && this.owners.isLoaded ? 'ok' : 'error';
  }
}

function stateInTime<T extends CheckState>(check: Promise<T>): Promise<T | 'error'> {
  return withTimeout(check, TIMEOUT_MS, () => 'error' as const).catch(() => 'error');
}
