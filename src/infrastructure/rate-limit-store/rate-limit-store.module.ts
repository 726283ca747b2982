import { Module } from '@nestjs/common';
import { AppLog } from '../../common/log';
import { PrimaryClient, PrimaryModule } from '../../processes/rpc/primary-client';
import { RedisConnection, RedisModule } from '../redis/redis-connection';
import { MemoryRateLimitStore } from './memory.rate-limit-store';
import { PrimaryRateLimitStore, serveRateLimits } from './primary.rate-limit-store';
import { RedisRateLimitStore } from './redis.rate-limit-store';
import { RateLimitStore } from './rate-limit-store';

/** Chooses where rate-limit windows are kept: in Redis, else by this machine's primary. */
@Module({
  imports: [PrimaryModule, RedisModule],
  providers: [
    {
      provide: RateLimitStore,
      inject: [PrimaryClient, RedisConnection, AppLog],
      useFactory: async (primary: PrimaryClient, connection: RedisConnection, log: AppLog) => {
        const machine = primary.isHere ? ofPrimary() : new PrimaryRateLimitStore(primary);
        const redis = await connection.open();
        return redis === null ? machine : new RedisRateLimitStore(redis, machine, log);
      },
    },
  ],
  exports: [RateLimitStore],
})
export class RateLimitStoreModule {}

/** The web part runs in the primary: its windows are those of the jobs process, too. */
function ofPrimary(): MemoryRateLimitStore {
  const windows = new MemoryRateLimitStore();
  serveRateLimits(windows);
  return windows;
}
