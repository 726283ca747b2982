import { Module } from '@nestjs/common';
import { OutboundOptions } from '../../config/options';
import { OutboundClient } from './outbound.client';

@Module({
  providers: [
    {
      provide: OutboundClient,
      inject: [OutboundOptions],
      useFactory: (options: OutboundOptions) => new OutboundClient(options),
    },
  ],
  exports: [OutboundClient],
})
export class OutboundModule {}
