import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { version } from '../common/package-info';
import { MongoConnector } from '../infrastructure/mongo/mongo-connector';

export type CheckState = 'ok' | 'error' | 'not_configured';

/** How the optional dependencies are; each module that has one answers for it. */
export abstract class HealthIndicators {
  abstract cache(): Promise<CheckState>;
  abstract mail(): Promise<CheckState>;
}

export class HealthChecks {
  @ApiProperty({ enum: ['ok', 'error'] }) database!: 'ok' | 'error';
  @ApiProperty({ enum: ['ok', 'error', 'not_configured'] }) cache!: CheckState;
  @ApiProperty({ enum: ['ok', 'error', 'not_configured'] }) mail!: CheckState;
}

/** Body of GET /health (docs/contract.md#14). */
export class HealthResponse {
  @ApiProperty({ enum: ['healthy', 'degraded', 'unhealthy'] })
  status!: 'healthy' | 'degraded' | 'unhealthy';

  @ApiProperty() version!: string;
  @ApiProperty() checks!: HealthChecks;
}

/** How long an answer is given to everybody who asks. */
const FRESH_MS = 1000;
/** A dependency that has not answered by then does not work. */
const PATIENCE_MS = 2500;

/**
 * Asks each dependency how it is (docs/contract.md#14): once at a time and at most once a second, however
 * many ask. Nobody is limited here, and a flood must not make a healthy service look ill.
 */
@Injectable()
export class HealthService {
  private answer?: Promise<HealthResponse>;
  /** When the answer was there; infinite while it is being found. */
  private answeredAt = Infinity;

  constructor(
    private readonly mongo: MongoConnector,
    private readonly probes: HealthIndicators,
  ) {}

  report(): Promise<HealthResponse> {
    if (this.answer === undefined || performance.now() - this.answeredAt >= FRESH_MS) {
      this.answeredAt = Infinity;
      this.answer = this.ask().finally(() => (this.answeredAt = performance.now()));
    }
    return this.answer;
  }

  private async ask(): Promise<HealthResponse> {
    const [database, cache, mail] = await Promise.all([
      inTime(this.mongo.isHealthy().then((healthy) => (healthy ? 'ok' : 'error'))),
      inTime(this.probes.cache()),
      inTime(this.probes.mail()),
    ]);
    const checks = { database, cache, mail };
    const limping = cache === 'error' || mail === 'error';
    const status = database === 'error' ? 'unhealthy' : limping ? 'degraded' : 'healthy';
    return { status, version: version(), checks };
  }
}

async function inTime<T extends CheckState>(asked: Promise<T>): Promise<T | 'error'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'error'>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, 'error');
  });
  try {
    return await Promise.race([asked, late]);
  } catch {
    return 'error';
  } finally {
    clearTimeout(timer);
  }
}
