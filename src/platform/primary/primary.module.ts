import cluster from 'node:cluster';
import { Global, Module } from '@nestjs/common';
import { LocalPrimaryClient, PrimaryClient, WorkerPrimaryClient } from './primary-line';

/** Connects a web process with the primary, be it another process or this one. */
@Global()
@Module({
  providers: [
    {
      provide: PrimaryClient,
      useFactory: async (): Promise<PrimaryClient> => {
        if (!cluster.isWorker) return new LocalPrimaryClient();
        const line = new WorkerPrimaryClient();
        await line.open();
        return line;
      },
    },
  ],
  exports: [PrimaryClient],
})
export class PrimaryModule {}
