import cluster from 'node:cluster';
import { Global, Module } from '@nestjs/common';
import { AppLog } from '../../core/log';
import { PrimaryClient } from '../primary/primary-line';
import { PrimaryModule } from '../primary/primary.module';
import { RedisConnection } from '../redis/redis-connection';
import { RedisModule } from '../redis/redis.module';
import { MemoryRateLimitStore } from './memory-windows';
import { PrimaryRateLimitStore } from './primary-windows';
import { RedisRateLimitStore } from './redis-windows';
import { RateLimitStore } from './window-store';

/** Chooses where rate-limit windows are kept: in Redis, else by this machine's primary. */
@Global()
@Module({
  imports: [PrimaryModule, RedisModule],
  providers: [
    {
      provide: RateLimitStore,
      inject: [PrimaryClient, RedisConnection, AppLog],
      useFactory: async (line: PrimaryClient, connection: RedisConnection, log: AppLog) => {
        const machine = cluster.isWorker
          ? new PrimaryRateLimitStore(line)
          : new MemoryRateLimitStore();
        const redis = await connection.open();
        return redis === null ? machine : new RedisRateLimitStore(redis, machine, log);
      },
    },
  ],
  exports: [RateLimitStore],
})
export class RateLimitStoreModule {}
