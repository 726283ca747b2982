import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { AppLog } from '../../common/log';
import { serverFromUrl } from '../../config/url';
import { RedisOptions } from '../../config/options';
import { withTimeout } from '../../common/with-timeout';

const CONNECT_MS = 2000;
const COMMAND_MS = 500;
const RECONNECT_MS = 1000;
const REDIS_WAIT_MS = 2000;

/** Commands fail immediately if Redis is down, and after 0.5 s if it does not respond. */
@Injectable()
export class RedisConnection implements OnApplicationShutdown {
  private client: Redis | null = null;
  private away = false;

  constructor(
    private readonly options: RedisOptions,
    private readonly log: AppLog,
  ) {}

  /** Waits up to two seconds for the connection; null without REDIS_URL. */
  async open(): Promise<Redis | null> {
    if (this.options.url === null) return null;
    if (this.client !== null) return this.client;
    const { Redis: Client } = await import('ioredis');
    this.client = new Client(this.options.url, {
      lazyConnect: true,
      enableOfflineQueue: false,
      connectTimeout: CONNECT_MS,
      commandTimeout: COMMAND_MS,
      maxRetriesPerRequest: 0,
      retryStrategy: () => RECONNECT_MS,
    });
    this.client.on('error', (error: Error) => this.noteAway(error.message || error.name));
    this.client.on('close', () => this.noteAway('the connection was lost'));
    this.client.on('ready', () => this.noteBack());
    const connected = this.client.connect().catch(() => undefined);
    await withTimeout(connected, REDIS_WAIT_MS, () => undefined);
    return this.client;
  }

  async state(): Promise<'ok' | 'error' | 'not_configured'> {
    if (this.options.url === null) return 'not_configured';
    try {
      return (await this.client?.ping()) === 'PONG' ? 'ok' : 'error';
    } catch {
      return 'error';
    }
  }

  onApplicationShutdown(): void {
    this.client?.removeAllListeners('close');
    this.client?.disconnect();
  }

  private noteAway(reason: string): void {
    if (this.away) return;
    this.away = true;
    const effect = 'this machine counts rate limits on its own and re-reads links every second';
    this.log.warn(`Redis is not reachable; until it is, ${effect}`, {
      server: this.server,
      reason,
    });
  }

  private noteBack(): void {
    if (!this.away) return;
    this.away = false;
    this.log.info('Redis is reachable again', { server: this.server });
  }

  /** Only host and port, because REDIS_URL may contain a password. */
  private get server(): string {
    return serverFromUrl(this.options.url ?? '');
  }
}
