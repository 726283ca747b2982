import cluster from 'node:cluster';
import { Global, Module } from '@nestjs/common';
import { AppLog } from '../../core/log';
import { PrimaryLine } from '../primary/primary-line';
import { PrimaryModule } from '../primary/primary.module';
import { RedisConnection } from '../redis/redis-connection';
import { RedisModule } from '../redis/redis.module';
import { MemoryWindows } from './memory-windows';
import { PrimaryWindows } from './primary-windows';
import { RedisWindows } from './redis-windows';
import { WindowStore } from './window-store';

/** Chooses where rate-limit windows are kept: in Redis, else by this machine's primary. */
@Global()
@Module({
  imports: [PrimaryModule, RedisModule],
  providers: [
    {
      provide: WindowStore,
      inject: [PrimaryLine, RedisConnection, AppLog],
      useFactory: async (line: PrimaryLine, connection: RedisConnection, log: AppLog) => {
        const machine = cluster.isWorker ? new PrimaryWindows(line) : new MemoryWindows();
        const redis = await connection.open();
        return redis === null ? machine : new RedisWindows(redis, machine, log);
      },
    },
  ],
  exports: [WindowStore],
})
export class WindowsModule {}
