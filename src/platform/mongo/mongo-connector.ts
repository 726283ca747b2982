import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { setTimeout as sleep } from 'node:timers/promises';
import { MetricsOptions, MongoOptions } from '../../config/options';
import { AppLog } from '../../core/log';
import { connectionOptions } from './connection-options';

const FIRST_WAIT_MS = 10_000;
const RETRY_MS = 1000;
const PING_MS = 2000;

/** Opens the connection and makes the indexes; keeps trying while the database is away. */
@Injectable()
export class MongoConnector implements OnApplicationShutdown {
  private stopped = false;
  private ready = false;

  constructor(
    @InjectConnection() private readonly connection: Connection,
    private readonly mongo: MongoOptions,
    private readonly metrics: MetricsOptions,
    private readonly log: AppLog,
  ) {}

  /** Resolves when connected with indexes made, or after 10 s with the attempt going on. */
  async start(): Promise<void> {
    const opened = this.open();
    await Promise.race([opened, sleep(FIRST_WAIT_MS, undefined, { ref: false })]);
    if (!this.ready) this.log.error('The database is not reachable yet, trying on');
  }

  /** True when the database answers and its indexes are made. */
  async isHealthy(): Promise<boolean> {
    if (!this.ready || this.connection.db === undefined) return false;
    try {
      const ping = this.connection.db.command({ ping: 1 }, { timeoutMS: PING_MS });
      await Promise.race([ping, sleep(PING_MS, undefined, { ref: false }).then(rejectSlow)]);
      return true;
    } catch {
      return false;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    await this.connection.close();
  }

  private async open(): Promise<void> {
    // The first attempt began with the connection itself.
    let attempt = this.connection.asPromise();
    while (!this.stopped) {
      try {
        await attempt;
        for (const name of this.connection.modelNames()) {
          await this.connection.model(name).createIndexes();
        }
        this.ready = true;
        return;
      } catch (error) {
        this.log.debug('The database did not answer', { err: error });
        await sleep(RETRY_MS, undefined, { ref: false });
        attempt = this.connection.openUri(this.mongo.uri, {
          ...connectionOptions(this.mongo),
          monitorCommands: this.metrics.enabled,
        });
      }
    }
  }
}

function rejectSlow(): never {
  throw new Error('The database did not answer the ping in time');
}
