import { Module } from '@nestjs/common';
import { AccountStoreModule } from '../accounts/account-store.module';
import { ApiKeyStoreModule } from '../api-keys/api-key-store.module';
import { IdempotencyModule } from '../idempotency/idempotency.module';
import { UtmStoreModule } from '../links/utm/utm-store.module';
import { ReportStoreModule } from '../moderation/reports/report-store.module';
import { StateStoreModule } from '../oauth/states/state-store.module';
import { AccountFileStoreModule } from '../qr/logo/account-file-store.module';
import { CodeBudgetsRepository, CodesRepository } from '../accounts/codes/codes.repository';
import { SessionsRepository } from '../accounts/sessions/sessions.repository';
import { ApiKeysRepository } from '../api-keys/api-keys.repository';
import { ClickStoreModule } from '../clicks/store/click-store.module';
import { DomainStoreModule } from '../stores/domains/domain-store.module';
import { IdempotencyRepository } from '../idempotency/idempotency.repository';
import { ImportedCountsModule } from '../stores/imported-counts/imported-counts.module';
import { ImportedCountsRepository } from '../stores/imported-counts/imported-counts.repository';
import { ImportNodesModule } from '../imports/history/import-nodes.module';
import { JobsRepositoryModule } from '../infrastructure/jobs/jobs.module';
import { MailModule } from '../infrastructure/mail/mail.module';
import { LinkCacheModule } from '../links/cache/link-cache.module';
import { LinkRemover } from '../links/removal/link-remover';
import { StatesRepository } from '../oauth/states/states.repository';
import { AccountFilesRepository } from '../qr/logo/account-files.repository';
import { TagStoreModule } from '../stores/tags/tag-store.module';
import { TagsRepository } from '../stores/tags/tags.repository';
import { BlockNoticesRepository } from '../stores/links/block-notices.repository';
import { UtmTemplatesRepository } from '../links/utm/utm-templates.repository';
import { AccountBelongings, type Owned } from './account-belongings';
import { AccountDeletionJob } from './account-deletion.job';
import { ExportFilesModule } from './export/export-files.module';
import { ExportFilesRepository } from './export/export-files.repository';
import { ImportStoreModule } from '../imports/store/import-store.module';

/** Repositories that store account data. Sessions and keys are deleted first. */
const OWNED_REPOSITORIES = [
  SessionsRepository,
  ApiKeysRepository,
  StatesRepository,
  CodesRepository,
  CodeBudgetsRepository,
  IdempotencyRepository,
  TagsRepository,
  UtmTemplatesRepository,
  AccountFilesRepository,
  ImportedCountsRepository,
  BlockNoticesRepository,
  ExportFilesRepository,
];

@Module({
  imports: [
    AccountFileStoreModule,
    AccountStoreModule,
    ApiKeyStoreModule,
    ClickStoreModule,
    DomainStoreModule,
    ExportFilesModule,
    IdempotencyModule,
    ImportedCountsModule,
    ImportNodesModule,
    ImportStoreModule,
    JobsRepositoryModule,
    LinkCacheModule,
    MailModule,
    ReportStoreModule,
    StateStoreModule,
    TagStoreModule,
    UtmStoreModule,
  ],
  providers: [
    AccountDeletionJob,
    LinkRemover,
    {
      provide: AccountBelongings,
      inject: OWNED_REPOSITORIES,
      useFactory: (...repositories: Owned[]): AccountBelongings =>
        new AccountBelongings(repositories),
    },
  ],
})
export class AccountDeletionJobModule {}
