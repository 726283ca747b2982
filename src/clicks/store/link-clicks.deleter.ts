import { Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { ClickStoreRepository } from './click-store.repository';

/** Deletes what is recorded of links, for whoever removes the links themselves. */
export class LinkClicksDeleter {
  constructor(private readonly stores: Pick<ClickStoreRepository, 'remove'>) {}

  /** Removes every click of these links; clicks recorded later belong to the caller's next call. */
  remove(linkIds: readonly string[]): Promise<void> {
    return this.stores.remove(linkIds);
  }
}

@Module({
  providers: [
    {
      provide: LinkClicksDeleter,
      inject: [getConnectionToken()],
      useFactory: (connection: Connection) =>
        new LinkClicksDeleter(new ClickStoreRepository(connection)),
    },
  ],
  exports: [LinkClicksDeleter],
})
export class LinkClicksModule {}
