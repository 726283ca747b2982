import cluster from 'node:cluster';
import { Global, Module } from '@nestjs/common';
import { RedisOptions } from '../../config/options';
import { AppLog } from '../../core/log';
import { PrimaryLine } from '../primary/primary-line';
import { PrimaryModule } from '../primary/primary.module';
import { Bus } from './bus';
import { LocalBus } from './local-bus';
import { RedisBus } from './redis-bus';
import { WorkerBus } from './worker-bus';

/** Chooses how web processes hear of each other's changes. */
@Global()
@Module({
  imports: [PrimaryModule],
  providers: [
    {
      provide: Bus,
      inject: [RedisOptions, PrimaryLine, AppLog],
      useFactory: (redis: RedisOptions, line: PrimaryLine, log: AppLog): Bus => {
        const machine = cluster.isWorker ? new WorkerBus(line, log) : new LocalBus();
        return redis.url === null ? machine : new RedisBus(machine, redis.url, log);
      },
    },
  ],
  exports: [Bus],
})
export class BusModule {}
