import { Injectable, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuditTrailModule } from '../audit-trail/audit-trail.module';
import { TokensModule } from '../auth/tokens.module';
import { BackgroundModule } from '../common/background-tasks.module';
import { CountryLookupModule } from '../infrastructure/geoip/country-lookup.module';
import { ChangeBusModule } from '../infrastructure/change-bus/change-bus.module';
import { JobStarterModule, JobsRepositoryModule } from '../infrastructure/jobs/jobs.module';
import { MailModule } from '../infrastructure/mail/mail.module';
import { ExpiredDocuments } from '../infrastructure/mongo/expired-documents';
import { AccountRecord, AccountSchema } from './account/account.schema';
import { AccountsController } from './accounts.controller';
import { AccountsRepository } from './account/accounts.repository';
import { AccountsService, RegistrationPolicy } from './sign-in/accounts.service';
import { AdminsService } from './admins/admins.service';
import { CodeBudgetRecord, CodeBudgetSchema } from './codes/code-budget.schema';
import { CodeBudgetsRepository } from './codes/code-budgets.repository';
import { CodeRecord, CodeSchema } from './codes/code.schema';
import { CodesController } from './verification/codes.controller';
import { CodesRepository } from './codes/codes.repository';
import { OneTimeCodesService } from './codes/one-time-codes.service';
import { PasswordResetService } from './verification/password-reset.service';
import { VerificationService } from './verification/verification.service';
import { IdentitiesRepository } from './identities/identities.repository';
import { AccountMailsService } from './mails/account-mails.service';
import { AccountPagesController } from './pages/account-pages.controller';
import { AccountPagesService } from './pages/account-pages.service';
import { MailNotesService } from './pages/mail-notes.service';
import { SignInPageService } from './pages/sign-in-page.service';
import { DeviceCookies } from './sessions/device-cookies';
import { JwtStrategy } from './sessions/jwt.strategy';
import { LoginThrottle } from './sessions/login-throttle';
import { PageSessionStrategy } from './sessions/page-session.strategy';
import { SessionBrowsers } from './sessions/session-browsers';
import { SessionRecord, SessionSchema } from './sessions/session.schema';
import { OwnSessionsController, SessionsController } from './sessions.controller';
import { SessionsRepository } from './sessions/sessions.repository';
import { SessionsService } from './sessions/sessions.service';
import { AccountDeletionService } from './deletion/account-deletion.service';
import {
  RemovedAccountRecord,
  RemovedAccountSchema,
  RemovedAccountsRepository,
} from './closing/removed-accounts.repository';
import { ClosedAccounts } from './closing/closed-accounts';
import { SuspensionService } from './suspension/suspension.service';
import { SignInLog } from './account/sign-in-log';
import { ClosedOwnersModule } from '../stores/links/link-store.module';

@Injectable()
export class AccountExpiry {
  constructor(
    documents: ExpiredDocuments,
    codes: CodesRepository,
    budgets: CodeBudgetsRepository,
    sessions: SessionsRepository,
  ) {
    documents.register('codes', (now) => codes.purgeExpired(now));
    documents.register('code budgets', (now) => budgets.purgeExpired(now));
    documents.register('sessions', (now) => sessions.purgeExpired(now));
  }
}

@Module({
  imports: [
    AuditTrailModule,
    ChangeBusModule,
    CountryLookupModule,
    ClosedOwnersModule,
    JobStarterModule,
    JobsRepositoryModule,
    MailModule,
    MongooseModule.forFeature([
      { name: AccountRecord.name, schema: AccountSchema },
      { name: CodeBudgetRecord.name, schema: CodeBudgetSchema },
      { name: CodeRecord.name, schema: CodeSchema },
      { name: RemovedAccountRecord.name, schema: RemovedAccountSchema },
      { name: SessionRecord.name, schema: SessionSchema },
    ]),
    BackgroundModule,
    TokensModule,
  ],
  controllers: [
    SessionsController,
    OwnSessionsController,
    AccountsController,
    CodesController,
    AccountPagesController,
  ],
  providers: [
    AccountDeletionService,
    AccountMailsService,
    AccountPagesService,
    AccountsService,
    AccountsRepository,
    AdminsService,
    CodeBudgetsRepository,
    CodesRepository,
    DeviceCookies,
    AccountExpiry,
    IdentitiesRepository,
    JwtStrategy,
    LoginThrottle,
    MailNotesService,
    OneTimeCodesService,
    PageSessionStrategy,
    PasswordResetService,
    RegistrationPolicy,
    RemovedAccountsRepository,
    SessionBrowsers,
    SessionsRepository,
    SessionsService,
    SignInLog,
    SignInPageService,
    ClosedAccounts,
    SuspensionService,
    VerificationService,
  ],
  exports: [
    AccountDeletionService,
    AccountMailsService,
    AccountsService,
    AccountsRepository,
    AdminsService,
    IdentitiesRepository,
    OneTimeCodesService,
    RegistrationPolicy,
    SessionsRepository,
    SessionsService,
    SignInLog,
    SignInPageService,
    SuspensionService,
    TokensModule,
  ],
})
export class AccountsModule {}
