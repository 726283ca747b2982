import { Global, Module } from '@nestjs/common';
import { Bus } from './bus';
import { LocalBus } from './local-bus';

/** Chooses how web processes hear of each other's changes. */
@Global()
@Module({
  providers: [{ provide: Bus, useClass: LocalBus }],
  exports: [Bus],
})
export class BusModule {}
