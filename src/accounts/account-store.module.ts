import { Module } from '@nestjs/common';
import { storeMetadata } from '../infrastructure/mongo/stores';
import { AccountRecord, AccountSchema } from './account/account.schema';
import { AccountsRepository } from './account/accounts.repository';
import {
  RemovedAccountRecord,
  RemovedAccountSchema,
  RemovedAccountsRepository,
} from './closing/removed-accounts.repository';
import { CodeBudgetRecord, CodeBudgetSchema } from './codes/code-budget.schema';
import { CodeRecord, CodeSchema } from './codes/code.schema';
import { CodeBudgetsRepository, CodesRepository } from './codes/codes.repository';
import { EmailChangesRepository } from './email-change/email-changes.repository';
import { IdentitiesRepository } from './identities/identities.repository';
import { SessionRecord, SessionSchema } from './sessions/session.schema';
import { SessionsRepository } from './sessions/sessions.repository';
import { SetupTokensRepository } from './setup/setup-tokens.repository';

@Module(
  storeMetadata(
    [
      { name: AccountRecord.name, schema: AccountSchema },
      { name: CodeBudgetRecord.name, schema: CodeBudgetSchema },
      { name: CodeRecord.name, schema: CodeSchema },
      { name: RemovedAccountRecord.name, schema: RemovedAccountSchema },
      { name: SessionRecord.name, schema: SessionSchema },
    ],
    [
      AccountsRepository,
      CodeBudgetsRepository,
      CodesRepository,
      EmailChangesRepository,
      IdentitiesRepository,
      RemovedAccountsRepository,
      SessionsRepository,
      SetupTokensRepository,
    ],
  ),
)
export class AccountStoreModule {}
