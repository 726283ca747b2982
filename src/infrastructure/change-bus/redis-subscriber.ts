import { Redis } from 'ioredis';
import type { Logger } from '../../common/log';

const ANSWER_MS = 1000;
const MOST_RETRY_MS = 500;

/**
 * A connection of the bus: it fails at once while Redis is away, answers within a second or
 * fails, and keeps trying to come back. Its failures are told by the commands, not by events.
 */
export function openBusConnection(url: string): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    connectTimeout: ANSWER_MS,
    commandTimeout: ANSWER_MS,
    retryStrategy: (times) => Math.min(times * 50, MOST_RETRY_MS),
  });
  redis.on('error', () => undefined);
  return redis;
}

const PULSE_MS = 500;

interface EarEvents {
  heard: (text: string) => void;
  /** Listening begins, for the first time or again: what was said before is not known. */
  back: () => void;
}

/** The listening connection; a pulse finds out when nothing can be heard although nothing closed. */
export class RedisSubscriber {
  private readonly redis: Redis;
  private readonly pulse: NodeJS.Timeout;
  private listening = false;

  constructor(
    url: string,
    private readonly topic: string,
    private readonly log: Logger,
    private readonly events: EarEvents,
  ) {
    this.redis = openBusConnection(url);
    this.redis.on('ready', () => void this.listen());
    this.redis.on('close', () => this.deaf());
    this.redis.on('message', (_: string, text: string) => this.events.heard(text));
    this.pulse = setInterval(() => void this.check(), PULSE_MS).unref();
  }

  /** False from the moment at which messages may be lost. */
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
      this.log.info('Changes on other machines are heard through Redis');
      this.events.back();
    } catch {
      this.redis.disconnect(true);
    }
  }

  private deaf(): void {
    if (!this.listening) return;
    this.listening = false;
    this.log.warn('Redis is away: links are read again every second until it is back');
  }

  private async check(): Promise<void> {
    if (!this.listening) return;
    try {
      await this.redis.ping();
    } catch {
      this.deaf();
      this.redis.disconnect(true);
    }
  }
}
