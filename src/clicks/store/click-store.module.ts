import { Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { ClickStoreRepository } from './click-store.repository';

/** Click stores in a web process, needed to delete links. */
@Module({
  providers: [
    {
      provide: ClickStoreRepository,
      inject: [getConnectionToken()],
      useFactory: (connection: Connection) => new ClickStoreRepository(connection),
    },
  ],
  exports: [ClickStoreRepository],
})
export class ClickStoreModule {}
