import cluster from 'node:cluster';
import { Global, Module } from '@nestjs/common';
import { InnerLine, PrimaryLine, WorkerLine } from './primary-line';

/** Connects a web process with the primary, be it another process or this one. */
@Global()
@Module({
  providers: [
    {
      provide: PrimaryLine,
      useFactory: async (): Promise<PrimaryLine> => {
        if (!cluster.isWorker) return new InnerLine();
        const line = new WorkerLine();
        await line.open();
        return line;
      },
    },
  ],
  exports: [PrimaryLine],
})
export class PrimaryModule {}
