import cluster from 'node:cluster';
import { Global, Module } from '@nestjs/common';
import { PrimaryLine } from '../primary/primary-line';
import { PrimaryModule } from '../primary/primary.module';
import { MemoryWindows } from './memory-windows';
import { PrimaryWindows } from './primary-windows';
import { WindowStore } from './window-store';

/** Chooses where rate-limit windows are kept. */
@Global()
@Module({
  imports: [PrimaryModule],
  providers: [
    {
      provide: WindowStore,
      inject: [PrimaryLine],
      useFactory: (line: PrimaryLine): WindowStore =>
        cluster.isWorker ? new PrimaryWindows(line) : new MemoryWindows(),
    },
  ],
  exports: [WindowStore],
})
export class WindowsModule {}
