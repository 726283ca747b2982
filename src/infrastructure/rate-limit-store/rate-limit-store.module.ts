import { Module } from '@nestjs/common';
import { AppLog } from '../../common/log';
import { PrimaryClient } from '../../processes/rpc/primary-client';
import { PrimaryModule } from '../../processes/rpc/primary.module';
import { RedisConnection } from '../redis/redis-connection';
import { RedisModule } from '../redis/redis.module';
import { MemoryRateLimitStore } from './memory.rate-limit-store';
import { PrimaryRateLimitStore, serveRateLimits } from './primary.rate-limit-store';
import { RedisRateLimitStore } from './redis.rate-limit-store';
import { RateLimitStore } from './rate-limit-store';

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

/** The web part runs in the primary and shares its windows with the jobs process. */
function ofPrimary(): MemoryRateLimitStore {
  const windows = new MemoryRateLimitStore();
  serveRateLimits(windows);
  return windows;
}
