import cluster from 'node:cluster';
import { Module } from '@nestjs/common';
import {
  ChildPrimaryClient,
  LocalPrimaryClient,
  PrimaryClient,
  WorkerPrimaryClient,
} from './primary-client';

/** Connects a process to the primary. Child processes provide their own client. */
@Module({
  providers: [
    {
      provide: PrimaryClient,
      inject: [{ token: ChildPrimaryClient, optional: true }],
      useFactory: async (child?: ChildPrimaryClient): Promise<PrimaryClient> => {
        if (child !== undefined) return child;
        if (!cluster.isWorker) return new LocalPrimaryClient();
        const client = new WorkerPrimaryClient();
        await client.open();
        return client;
      },
    },
  ],
  exports: [PrimaryClient],
})
export class PrimaryModule {}
