import { Global, Module } from '@nestjs/common';
import { MemoryWindows } from './memory-windows';
import { WindowStore } from './window-store';

/** Chooses where rate-limit windows are kept. */
@Global()
@Module({
  providers: [{ provide: WindowStore, useFactory: () => new MemoryWindows() }],
  exports: [WindowStore],
})
export class WindowsModule {}
