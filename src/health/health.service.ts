import { Injectable } from '@nestjs/common';
import { MongoConnector } from '../platform/mongo/mongo-connector';
import { version } from '../core/version';
import { CheckState, HealthResponse, HealthIndicators } from './health';

/** How long an answer is given to everybody who asks. */
const FRESH_MS = 1000;
/** A dependency that has not answered by then does not work. */
const PATIENCE_MS = 2500;

/**
 * Asks each dependency how it is (contract 14): once at a time and at most once a second, however
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
