import cluster from 'node:cluster';
import { Global, Module } from '@nestjs/common';
import { RedisOptions } from '../../config/options';
import { AppLog } from '../../core/log';
import { PrimaryClient } from '../primary/primary-line';
import { PrimaryModule } from '../primary/primary.module';
import { ChangeBus } from './bus';
import { LocalBus } from './local-bus';
import { WorkerBus } from './worker-bus';

/** Chooses how web processes hear of each other's changes. */
@Global()
@Module({
  imports: [PrimaryModule],
  providers: [
    {
      provide: ChangeBus,
      inject: [RedisOptions, PrimaryClient, AppLog],
      useFactory: async (
        redis: RedisOptions,
        line: PrimaryClient,
        log: AppLog,
      ): Promise<ChangeBus> => {
        const machine = cluster.isWorker ? new WorkerBus(line, log) : new LocalBus();
        if (redis.url === null) return machine;
        // Loaded only where there is a Redis.
        const { RedisBus } = await import('./redis-bus.js');
        return new RedisBus(machine, redis.url, log);
      },
    },
  ],
  exports: [ChangeBus],
})
export class ChangeBusModule {}
