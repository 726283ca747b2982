import { Global, Module } from '@nestjs/common';
import { BackgroundModule } from '../common/background-tasks.module';
import { PrimaryModule } from '../processes/rpc/primary.module';
import { ChangeBusModule } from './change-bus/change-bus.module';
import { RateLimitStoreModule } from './rate-limit-store/rate-limit-store.module';

const SHARED = [BackgroundModule, ChangeBusModule, PrimaryModule, RateLimitStoreModule];

/** Connects a process to the other processes; `curtail admin` replaces these modules. */
@Global()
@Module({ imports: SHARED, exports: SHARED })
export class ProcessModule {}
