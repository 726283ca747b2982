import { Global, Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { LinkClicksDeleter } from './analytics/ledger/ledger-clicks';
import { ClickStoreRepository } from './analytics/ledger/ledger.repository';
import { LinkClicks } from './links/lookup/clicks-of-links';

/** Binds the links room's port to the ledgers. */
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
