import { Injectable, OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection, mongo } from 'mongoose';
import { setTimeout as sleep } from 'node:timers/promises';
import { MetricsOptions, MongoOptions } from '../../config/options';
import { AppLog } from '../../common/log';
import { serverFromUrl } from '../../config/url';
import { connectionOptions } from './open-connection';
import { DatabaseReadiness } from './write-barrier';
import { withTimeout } from '../../common/with-timeout';

const DATABASE_WAIT_MS = 10_000;
const CONNECT_RETRY_MS = 1000;
const MAX_CONNECT_RETRY_MS = 30_000;
const PING_MS = 2000;
/** Error code if MongoDB refuses to create an index with less than 500 MB of free space. */
const OUT_OF_DISK_SPACE = 14031;
const NO_SPACE =
  "The database's disk has less than 500 MB free, so MongoDB cannot create indexes; " +
  'nothing will be written until you free up space';

@Injectable()
export class MongoConnector implements OnModuleDestroy, OnApplicationShutdown {
  private stopped = false;
  private away = false;

  constructor(
    @InjectConnection() private readonly connection: Connection,
    private readonly mongo: MongoOptions,
    private readonly metrics: MetricsOptions,
    private readonly readiness: DatabaseReadiness,
    private readonly log: AppLog,
  ) {}

  /** Resolves once connected and indexed, or after `waitMs`; attempts then continue. */
  async start(waitMs = DATABASE_WAIT_MS): Promise<void> {
    this.connection.on('connected', () => this.noteBack());
    await withTimeout(this.open(), waitMs, () => undefined);
  }

  async isHealthy(): Promise<boolean> {
    if (!this.readiness.indexesMade || this.connection.db === undefined) return false;
    try {
      const ping = this.connection.db.command({ ping: 1 }, { timeoutMS: PING_MS });
      await withTimeout(ping, PING_MS, rejectSlowPing);
      return true;
    } catch {
      return false;
    }
  }

  get hint(): string | null {
    return this.readiness.hint;
  }

  /** Runs before the connection is closed. */
  onModuleDestroy(): void {
    this.stopped = true;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.connection.close();
  }

  /** Logs an outage only once. */
  private noteAway(reason: string): void {
    if (this.away || this.stopped) return;
    this.away = true;
    const effect =
      'cached links redirect, clicks wait in the journal, and all other requests return 503';
    this.log.error(`MongoDB is not reachable; until it is, ${effect}`, {
      server: this.server,
      reason,
    });
  }

  private noteBack(): void {
    if (!this.away) return;
    this.away = false;
    this.log.info('MongoDB is reachable again', { server: this.server });
  }

  private get server(): string {
    return this.mongo.embedded ? 'embedded' : serverFromUrl(this.mongo.uri);
  }

  private async open(): Promise<void> {
    await this.connect();
    this.connection.on('disconnected', () => this.noteAway('the connection was lost'));
    await this.makeIndexes();
  }

  private async connect(): Promise<void> {
    // Not reported, because loading the modules may have blocked this attempt until its timeout.
    const connected = await this.connection.asPromise().catch(() => null);
    if (connected !== null) return;
    while (!this.stopped) {
      try {
        await this.connection.openUri(this.mongo.uri, {
          ...connectionOptions(this.mongo),
          monitorCommands: this.metrics.enabled,
        });
        return;
      } catch (error) {
        this.noteAway(error instanceof Error ? error.message : String(error));
        await sleep(CONNECT_RETRY_MS, undefined, { ref: false });
      }
    }
  }

  /** Models refuse writes until this has succeeded. */
  private async makeIndexes(): Promise<void> {
    let waitMs = CONNECT_RETRY_MS;
    let reported = '';
    while (!this.stopped) {
      const failure = await this.makeIndexesOnce();
      if (failure === null) {
        this.readiness.indexesMade = true;
        this.readiness.hint = null;
        return;
      }
      reported = this.reportIndexFailure(failure, reported);
      await sleep(waitMs, undefined, { ref: false });
      waitMs = Math.min(2 * waitMs, MAX_CONNECT_RETRY_MS);
    }
  }

  /** Logs the error if it differs from `reported`; returns the value for the next call. */
  private reportIndexFailure(err: Error, reported: string): string {
    // The connection is closed because the service is stopping.
    if (this.stopped) return reported;
    this.readiness.hint = isOutOfSpace(err) ? NO_SPACE : null;
    const message =
      this.readiness.hint ??
      'Could not create the indexes; nothing will be written until they exist';
    const problem = this.readiness.hint ?? err.message;
    this.log[problem === reported ? 'debug' : 'error'](message, { err });
    return problem;
  }

  /** Continues after a failure, so that one failing index does not prevent the others. */
  private async makeIndexesOnce(): Promise<Error | null> {
    let failure: Error | null = null;
    for (const name of this.connection.modelNames()) {
      try {
        await this.createIndexes(name);
      } catch (error) {
        failure ??= error instanceof Error ? error : new Error(String(error));
      }
    }
    return failure;
  }

  /** Needs one command. If it fails, creates the indexes that can be created. */
  private async createIndexes(name: string): Promise<void> {
    const model = this.connection.model(name);
    const indexes = model.schema
      .indexes()
      .map(([key, options]) => ({ ...options, key }) as mongo.IndexDescription);
    if (indexes.length === 0) return;
    await model.collection.createIndexes(indexes).catch(() => model.createIndexes());
  }
}

function isOutOfSpace(error: Error): boolean {
  return (error as { code?: unknown }).code === OUT_OF_DISK_SPACE;
}

function rejectSlowPing(): never {
  throw new Error('The database did not reply to the ping in time');
}
