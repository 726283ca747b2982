import { Module } from '@nestjs/common';
import { getConnectionToken, MongooseModule } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { AccountRecord, AccountSchema } from '../accounts/account.schema';
import { AccountsRepository } from '../accounts/accounts.repository';
import {
  RemovedAccountRecord,
  RemovedAccountSchema,
  RemovedAccountsRepository,
} from '../accounts/deletion/removed-accounts.repository';
import { ClickStoreModule } from '../clicks/store/click-store.module';
import { DomainStoreModule } from '../domain-store/domain-store.module';
import { ImportedCountsModule } from '../imported-counts/imported-counts.module';
import { ImportStoreModule } from '../imports/imports.repository';
import { JobsRepositoryModule } from '../infrastructure/jobs/jobs.repository';
import { MailModule } from '../infrastructure/mail/mail.module';
import { RemovedLinksRepository } from '../link-store/removed-links.repository';
import { LinkCacheModule } from '../links/link-cache.module';
import { LinkRemover } from '../links/removal/link-remover';
import { AccountDeletionJob } from './account-deletion.job';
import { OwnedDocumentsRepository } from './owned-documents.repository';

/** The part of the deletion of accounts that the jobs process has. */
@Module({
  imports: [
    ClickStoreModule,
    DomainStoreModule,
    ImportedCountsModule,
    ImportStoreModule,
    JobsRepositoryModule,
    LinkCacheModule,
    MailModule,
    MongooseModule.forFeature([
      { name: AccountRecord.name, schema: AccountSchema },
      { name: RemovedAccountRecord.name, schema: RemovedAccountSchema },
    ]),
  ],
  providers: [
    AccountDeletionJob,
    AccountsRepository,
    LinkRemover,
    OwnedDocumentsRepository,
    RemovedAccountsRepository,
    {
      provide: RemovedLinksRepository,
      inject: [getConnectionToken()],
      useFactory: (connection: Connection): RemovedLinksRepository =>
        new RemovedLinksRepository(connection),
    },
  ],
})
export class AccountDeletionJobModule {}
