import { Module } from '@nestjs/common';
import { AppLog } from '../../common/log';
import { RedisOptions } from '../../config/options';
import { PrimaryClient, primaryHandlers, PrimaryModule } from '../../processes/rpc/primary-client';
import { BusChannel, ChangeBus } from './bus';
import { WorkerBus } from './worker-bus';

/** One web process, one machine: publishing is delivering. */
export class LocalBus extends ChangeBus {
  /** Delivers what the jobs process publishes, too. */
  serveChildren(): this {
    primaryHandlers.handle('bus.publish', (message) => {
      this.deliver(message);
      return 0;
    });
    return this;
  }

  publish(channel: BusChannel, message: unknown): Promise<void> {
    this.deliver({ channel, message });
    return Promise.resolve();
  }
}

/** Chooses how web processes hear of each other's changes, and of those that jobs make. */
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
        const machine = primary.isHere
          ? new LocalBus().serveChildren()
          : new WorkerBus(primary, log);
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
