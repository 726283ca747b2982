import { Redis } from 'ioredis';
import type { Logger } from '../../common/log';

const SUBSCRIBE_TIMEOUT_MS = 1000;
const MAX_SUBSCRIBE_RETRY_MS = 500;

/** Commands fail immediately while Redis is down, and after a second if it does not respond. */
export function openBusConnection(url: string): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    connectTimeout: SUBSCRIBE_TIMEOUT_MS,
    commandTimeout: SUBSCRIBE_TIMEOUT_MS,
    retryStrategy: (times) => Math.min(times * 50, MAX_SUBSCRIBE_RETRY_MS),
  });
  redis.on('error', () => undefined);
  return redis;
}

const PULSE_MS = 500;

interface SubscriberEvents {
  message: (text: string) => void;
  /** The subscription was made or renewed; earlier messages may have been lost. */
  listening: () => void;
}

/** Subscribes to changes; regular pings detect a connection that hangs without closing. */
export class RedisSubscriber {
  private readonly redis: Redis;
  private readonly pulse: NodeJS.Timeout;
  private listening = false;

  constructor(
    url: string,
    private readonly topic: string,
    private readonly log: Logger,
    private readonly events: SubscriberEvents,
  ) {
    this.redis = openBusConnection(url);
    this.redis.on('ready', () => void this.listen());
    // The connection for commands logs the same outage.
    this.redis.on('close', () => this.onLost('debug'));
    this.redis.on('message', (_: string, text: string) => this.events.message(text));
    this.pulse = setInterval(() => void this.check(), PULSE_MS).unref();
  }

  get isListening(): boolean {
    return this.listening;
  }

  close(): void {
    clearInterval(this.pulse);
    this.redis.removeAllListeners('close');
    this.redis.disconnect();
  }

  private async listen(): Promise<void> {
    try {
      await this.redis.subscribe(this.topic);
      this.listening = true;
      this.log.info('Subscribed to changes from other machines through Redis');
      this.events.listening();
    } catch {
      this.redis.disconnect(true);
    }
  }

  private onLost(level: 'debug' | 'warn'): void {
    if (!this.listening) return;
    this.listening = false;
    this.log[level](
      'Redis stopped delivering changes; links are re-read every second until it resumes',
    );
  }

  private async check(): Promise<void> {
    if (!this.listening) return;
    try {
      await this.redis.ping();
    } catch {
      this.onLost('warn');
      this.redis.disconnect(true);
    }
  }
}
