import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AccountRecord, AccountSchema } from '../accounts/account/account.schema';
import { AccountsRepository } from '../accounts/account/accounts.repository';
import { CodeBudgetRecord, CodeBudgetSchema } from '../accounts/codes/code-budget.schema';
import { CodeBudgetsRepository } from '../accounts/codes/code-budgets.repository';
import { CodeRecord, CodeSchema } from '../accounts/codes/code.schema';
import { CodesRepository } from '../accounts/codes/codes.repository';
import {
  RemovedAccountRecord,
  RemovedAccountSchema,
  RemovedAccountsRepository,
} from '../accounts/closing/removed-accounts.repository';
import { SessionRecord, SessionSchema } from '../accounts/sessions/session.schema';
import { SessionsRepository } from '../accounts/sessions/sessions.repository';
import { ApiKeyRecord, ApiKeySchema } from '../api-keys/api-key.schema';
import { ApiKeysRepository } from '../api-keys/api-keys.repository';
import { ClickStoreModule } from '../clicks/store/click-store.module';
import { DomainStoreModule } from '../stores/domains/domain-store.module';
import { IdempotencyRepository } from '../idempotency/idempotency.repository';
import { IdempotencyRecord, IdempotencySchema } from '../idempotency/idempotency.schema';
import { ImportedCountsModule } from '../stores/imported-counts/imported-counts.module';
import { ImportedCountsRepository } from '../stores/imported-counts/imported-counts.repository';
import { ImportNodesModule } from '../imports/history/import-nodes.module';
import { JobsRepositoryModule } from '../infrastructure/jobs/jobs.module';
import { MailModule } from '../infrastructure/mail/mail.module';
import { LinkCacheModule } from '../links/cache/link-cache.module';
import { LinkRemover } from '../links/removal/link-remover';
import { StateRecord, StateSchema } from '../oauth/states/state.schema';
import { StatesRepository } from '../oauth/states/states.repository';
import { AccountFileRecord, AccountFileSchema } from '../qr/logo/account-file.schema';
import { AccountFilesRepository } from '../qr/logo/account-files.repository';
import { ReportRecord, ReportSchema } from '../moderation/reports/report.schema';
import { ReportsRepository } from '../moderation/reports/reports.repository';
import { TagStoreModule } from '../stores/tags/tag-store.module';
import { TagsRepository } from '../stores/tags/tags.repository';
import { UtmTemplateRecord, UtmTemplateSchema } from '../links/utm/utm-template.schema';
import { UtmTemplatesRepository } from '../links/utm/utm-templates.repository';
import { AccountBelongings, type Owned } from './account-belongings';
import { AccountDeletionJob } from './account-deletion.job';
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
];

@Module({
  imports: [
    ClickStoreModule,
    DomainStoreModule,
    ImportedCountsModule,
    ImportNodesModule,
    ImportStoreModule,
    JobsRepositoryModule,
    LinkCacheModule,
    MailModule,
    MongooseModule.forFeature([
      { name: AccountFileRecord.name, schema: AccountFileSchema },
      { name: AccountRecord.name, schema: AccountSchema },
      { name: ApiKeyRecord.name, schema: ApiKeySchema },
      { name: CodeBudgetRecord.name, schema: CodeBudgetSchema },
      { name: CodeRecord.name, schema: CodeSchema },
      { name: IdempotencyRecord.name, schema: IdempotencySchema },
      { name: RemovedAccountRecord.name, schema: RemovedAccountSchema },
      { name: ReportRecord.name, schema: ReportSchema },
      { name: SessionRecord.name, schema: SessionSchema },
      { name: StateRecord.name, schema: StateSchema },
      { name: UtmTemplateRecord.name, schema: UtmTemplateSchema },
    ]),
    TagStoreModule,
  ],
  providers: [
    AccountDeletionJob,
    AccountFilesRepository,
    AccountsRepository,
    ApiKeysRepository,
    CodeBudgetsRepository,
    CodesRepository,
    IdempotencyRepository,
    LinkRemover,
    RemovedAccountsRepository,
    ReportsRepository,
    SessionsRepository,
    StatesRepository,
    UtmTemplatesRepository,
    {
      provide: AccountBelongings,
      inject: OWNED_REPOSITORIES,
      useFactory: (...repositories: Owned[]): AccountBelongings =>
        new AccountBelongings(repositories),
    },
  ],
})
export class AccountDeletionJobModule {}
