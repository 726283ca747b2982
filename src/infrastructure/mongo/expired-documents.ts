import { Injectable, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { MongoOptions } from '../../config/options';
import { AppLog } from '../../common/log';

const EVERY_MS = 15 * 60_000;

/** Returns the number of removed documents. */
export type Purge = (now: Date) => Promise<number>;

/** Replaces MongoDB's TTL monitor, which the embedded engine lacks. Queries also check expiry. */
@Injectable()
export class ExpiredDocuments implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly purges = new Map<string, Purge>();
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly mongo: MongoOptions,
    private readonly log: AppLog,
  ) {}

  /** Call before the application has started. */
  register(what: string, purge: Purge): void {
    this.purges.set(what, purge);
  }

  onApplicationBootstrap(): void {
    if (!this.mongo.embedded) return;
    this.timer = setInterval(() => void this.purge(new Date()), EVERY_MS);
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** A failed removal is retried in the next round. */
  async purge(now: Date): Promise<void> {
    for (const [what, purge] of this.purges) {
      try {
        const count = await purge(now);
        if (count > 0) this.log.debug(`Removed expired ${what}`, { count });
      } catch (error) {
        this.log.debug(`Could not remove expired ${what}`, { err: error });
      }
    }
  }
}
