import { Injectable, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { MongoOptions } from '../../config/options';
import { AppLog } from '../../common/log';

const EVERY_MS = 15 * 60_000;

/** Removes what has expired by then; answers how many documents that were. */
export type Purge = (now: Date) => Promise<number>;

/**
 * Removes expired documents every quarter of an hour on the embedded engine, whose TTL monitor
 * does not run; a real MongoDB does it by its TTL indexes. Nothing depends on it but disk space:
 * every query asks for the time itself.
 */
@Injectable()
export class ExpiredDocuments implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly purges = new Map<string, Purge>();
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly mongo: MongoOptions,
    private readonly log: AppLog,
  ) {}

  /** To be called by a repository's owner before the application has started. */
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

  /** One round; what fails is tried again in the next one. */
  async purge(now: Date): Promise<void> {
    for (const [what, purge] of this.purges) {
      try {
        const count = await purge(now);
        if (count > 0) this.log.debug(`Removed expired ${what}`, { count });
      } catch (error) {
        this.log.debug(`Expired ${what} could not be removed`, { err: error });
      }
    }
  }
}
