import { Global, Module } from '@nestjs/common';
import { BackgroundTasks } from '../common/background-tasks';
import { PrimaryModule } from '../processes/rpc/primary.module';
import { ChangeBusModule } from './change-bus/change-bus.module';
import { RateLimitStoreModule } from './rate-limit-store/rate-limit-store.module';

const SHARED = [ChangeBusModule, PrimaryModule, RateLimitStoreModule];

/** Connects a process to the other processes; `curtail admin` replaces these modules. */
@Global()
@Module({ imports: SHARED, providers: [BackgroundTasks], exports: [...SHARED, BackgroundTasks] })
export class ProcessModule {}
