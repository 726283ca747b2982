import { Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { ClickStoreRepository } from './click-store.repository';

/** Provides click stores to web processes, which delete them with their links. */
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
