import { Redis } from 'ioredis';

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
