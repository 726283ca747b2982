import { Global, Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { LedgerClicks } from './analytics/ledger/ledger-clicks';
import { LedgerRepository } from './analytics/ledger/ledger.repository';
import { ClicksOfLinks } from './links/lookup/clicks-of-links';

/** Binds the links room's port to the ledgers. */
@Global()
@Module({
  providers: [
    {
      provide: ClicksOfLinks,
      inject: [getConnectionToken()],
      useFactory: (connection: Connection): ClicksOfLinks =>
        new LedgerClicks(new LedgerRepository(connection)),
    },
  ],
  exports: [ClicksOfLinks],
})
export class ClicksOfLinksModule {}
