import type { RecordingState } from '../../clicks/journal/recording-state';
import type { ClickHouseConnection } from '../../infrastructure/click-house/click-house.module';
import type { MailHealthIndicator } from '../../infrastructure/mail/mail-health.indicator';
import type { MongoConnector } from '../../infrastructure/mongo/mongo-connector';
import type { RedisConnection } from '../../infrastructure/redis/redis-connection';
import type { DomainRegistry } from '../../stores/domains/domain-registry';
import { ClosedOwners } from '../../stores/links/closed-owners';
import type { CheckState } from './health.response';
import { HealthService } from './health.service';

describe('the health of a service', () => {
  let pings: ((healthy: boolean) => void)[];
  let checks: number;
  let mail: Promise<CheckState>;
  let advice: string | null;
  let domains: { isLoaded: boolean };
  let owners: ClosedOwners;
  let service: HealthService;

  beforeEach(() => {
    jest.useFakeTimers();
    pings = [];
    checks = 0;
    advice = null;
    mail = Promise.resolve('not_configured');
    const isHealthy = () => new Promise<boolean>((resolve) => pings.push(resolve));
    const cache = (): Promise<CheckState> => {
      checks++;
      return Promise.resolve('ok');
    };
    domains = { isLoaded: true };
    owners = new ClosedOwners();
    owners.replaceIds(new Set());
    service = new HealthService(
      { isHealthy, hint: null } as unknown as MongoConnector,
      domains as DomainRegistry,
      owners,
      { state: cache } as unknown as RedisConnection,
      { state: () => mail } as unknown as MailHealthIndicator,
      { state: () => Promise.resolve('not_configured') } as unknown as ClickHouseConnection,
      { advice: () => Promise.resolve(advice) } as unknown as RecordingState,
    );
  });
  afterEach(() => jest.useRealTimers());

  it('is checked once for concurrent callers', async () => {
    const answers = Array.from({ length: 1000 }, () => service.report());
    await jest.advanceTimersByTimeAsync(1500);
    answers.push(service.report());
    expect(pings).toHaveLength(1);
    pings[0]?.(true);
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set(['healthy']));
    expect(checks).toBe(1);
  });

  it('is cached for a second, and then checked again', async () => {
    const first = service.report();
    pings[0]?.(true);
    await first;
    await jest.advanceTimersByTimeAsync(999);
    expect((await service.report()).status).toBe('healthy');
    expect(pings).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(1);
    const second = service.report();
    expect(pings).toHaveLength(2);
    pings[1]?.(false);
    expect((await second).status).toBe('unhealthy');
  });

  it.each(['domains', 'closed accounts'])('is bad until the %s are loaded', async (state) => {
    if (state === 'domains') domains.isLoaded = false;
    else Object.assign(owners, new ClosedOwners());
    const early = service.report();
    pings[0]?.(true);
    expect((await early).checks.database).toBe('error');
    domains.isLoaded = true;
    owners.replaceIds(new Set());
    await jest.advanceTimersByTimeAsync(1000);
    const later = service.report();
    pings[1]?.(true);
    expect((await later).status).toBe('healthy');
  });

  it('is reported as unhealthy if a dependency hangs or fails', async () => {
    mail = Promise.reject(new Error('no email'));
    const answer = service.report();
    await jest.advanceTimersByTimeAsync(2500);
    expect((await answer).checks).toEqual({
      ...{ database: 'error', cache: 'ok', mail: 'error' },
      ...{ clickhouse: 'not_configured', recording: 'ok' },
    });
    await jest.advanceTimersByTimeAsync(1000);
    const next = service.report();
    await jest.advanceTimersByTimeAsync(1000);
    const again = service.report();
    expect(pings).toHaveLength(2);
    pings[1]?.(true);
    expect((await next).checks.database).toBe('ok');
    expect((await again).checks.database).toBe('ok');
  });

  it('is degraded while clicks are not recorded, and contains advice', async () => {
    advice = 'Set CLICKHOUSE_URL';
    const report = service.report();
    pings[0]?.(true);
    expect(await report).toMatchObject({
      status: 'degraded',
      checks: { database: 'ok', recording: 'error' },
      hint: 'Set CLICKHOUSE_URL',
    });
  });
});
