import { Injectable, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { MongoOptions } from '../../config/options';
import { AppLog } from '../../common/log';

const EVERY_MS = 15 * 60_000;

/** Replaces MongoDB's TTL monitor, which the embedded engine lacks. Queries also check expiry. */
@Injectable()
export class ExpiredDocuments implements OnApplicationBootstrap, OnModuleDestroy {
  private timer?: NodeJS.Timeout;

  constructor(
    @InjectConnection() private readonly connection: Pick<Connection, 'models'>,
    private readonly mongo: MongoOptions,
    private readonly log: AppLog,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.mongo.embedded) return;
    this.timer = setInterval(() => void this.purge(new Date()), EVERY_MS);
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Removes documents from all models with a TTL index. Failures are retried in the next round. */
  async purge(now: Date): Promise<void> {
    for (const model of Object.values(this.connection.models)) {
      const indexes = model.schema.indexes();
      if (!indexes.some(([, { expireAfterSeconds }]) => expireAfterSeconds === 0)) continue;
      const { name } = model.collection;
      try {
        const { deletedCount } = await model.deleteMany({ expires_at: { $lte: now } });
        if (deletedCount > 0) this.log.debug(`Removed expired ${name}`, { count: deletedCount });
      } catch (error) {
        this.log.debug(`Could not remove expired ${name}`, { err: error });
      }
    }
  }
}
