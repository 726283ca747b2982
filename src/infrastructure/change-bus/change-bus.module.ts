import cluster from 'node:cluster';
import { Module } from '@nestjs/common';
import { AppLog } from '../../common/log';
import { RedisOptions } from '../../config/options';
import { PrimaryClient, PrimaryModule } from '../../processes/rpc/primary-client';
import { BusChannel, ChangeBus } from './bus';
import { WorkerBus } from './worker-bus';

/** One web process, one machine: publishing is delivering. */
export class LocalBus extends ChangeBus {
  publish(channel: BusChannel, message: unknown): Promise<void> {
    this.deliver({ channel, message });
    return Promise.resolve();
  }
}

/** Chooses how web processes hear of each other's changes. */
@Module({
  imports: [PrimaryModule],
  providers: [
    {
      provide: ChangeBus,
      inject: [RedisOptions, PrimaryClient, AppLog],
      useFactory: async (
        redis: RedisOptions,
        primary: PrimaryClient,
        log: AppLog,
      ): Promise<ChangeBus> => {
        const machine = cluster.isWorker ? new WorkerBus(primary, log) : new LocalBus();
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
