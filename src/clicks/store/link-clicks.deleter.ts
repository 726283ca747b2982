import { Global, Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { LinkClicks } from '../../links/link-clicks';
import { ClickStoreRepository } from './click-store.repository';

/** What is recorded of links, as far as whoever removes links has to do with it. */
export class LinkClicksDeleter extends LinkClicks {
  constructor(private readonly stores: Pick<ClickStoreRepository, 'remove'>) {
    super();
  }

  remove(linkIds: readonly string[]): Promise<void> {
    return this.stores.remove(linkIds);
  }
}

/** Binds the links module's port to the stores. */
@Global()
@Module({
  providers: [
    {
      provide: LinkClicks,
      inject: [getConnectionToken()],
      useFactory: (connection: Connection): LinkClicks =>
        new LinkClicksDeleter(new ClickStoreRepository(connection)),
    },
  ],
  exports: [LinkClicks],
})
export class LinkClicksModule {}
