import { Module } from '@nestjs/common';
import { AppLog } from '../../common/log';
import { RedisOptions } from '../../config/options';
import { PrimaryClient, primaryHandlers } from '../../processes/rpc/primary-client';
import { PrimaryModule } from '../../processes/rpc/primary.module';
import { BusChannel, ChangeBus } from './bus';
import { WorkerBus } from './worker-bus';

/** Used if there is a single web process on a single machine; calls the listeners directly. */
export class LocalBus extends ChangeBus {
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
        const { RedisBus } = await import('./redis-bus.js');
        return new RedisBus(machine, redis.url, log);
      },
    },
  ],
  exports: [ChangeBus],
})
export class ChangeBusModule {}
