import { Module } from '@nestjs/common';
import { AuditTrailModule } from '../audit-trail/audit-trail.module';
import { JwtModule } from '@nestjs/jwt';
import { TokenOptions } from '../config/options';
import { AUDIENCE, ISSUER, TOKEN_VERIFICATION, TokensService } from '../auth/tokens';
import { CountryLookupModule } from '../infrastructure/geoip/country-lookup.module';
import { JobStarterModule } from '../infrastructure/jobs/jobs.module';
import { MailModule } from '../infrastructure/mail/mail.module';
import { AccountStoreModule } from './account-store.module';
import { AccountsController } from './accounts.controller';
import { OwnerProofService } from './sign-in/owner-proof.service';
import { AccountsService, RegistrationPolicy } from './sign-in/accounts.service';
import { AdminsService } from './admin-role/admins.service';
import { CodesController } from './verification/codes.controller';
import { OneTimeCodesService } from './codes/one-time-codes.service';
import { PasswordResetService, VerificationService } from './verification/verification.service';
import { AccountMailsService } from './mails/account-mails.service';
import { AccountPagesController } from './pages/account-pages.controller';
import { AccountPagesService, MailNotesService } from './pages/account-pages.service';
import { SignInPageService } from './pages/sign-in-page.service';
import { DeviceCookies } from './sessions/device-cookies';
import { JwtStrategy } from './sessions/jwt.strategy';
import { LoginThrottle } from './sessions/login-throttle';
import { PageSessionStrategy } from './sessions/page-session.strategy';
import { OwnSessionsController, SessionsController } from './sessions.controller';
import { SessionBrowsers, SessionsService } from './sessions/sessions.service';
import { SetupController } from './setup/setup.controller';
import { SetupLinksService, SignInLinksService } from './setup/setup-links.service';
import { SetupService } from './setup/setup.service';
import { AccountDeletionService, OwnDeletionService } from './deletion/account-deletion.service';
import { OwnDeletionController } from './deletion/own-deletion.controller';
import { ClosedAccounts } from './closing/closed-accounts';
import { SuspensionService } from './suspension/suspension.service';
import { SignInLog } from './account/account';
import { DomainStoreModule } from '../stores/domains/domain-store.module';
import { LinkStoreModule } from '../stores/links/link-store.module';

@Module({
  imports: [
    JwtModule.registerAsync({
      inject: [TokenOptions],
      useFactory: ({ secret }: TokenOptions) => ({
        secret,
        signOptions: { algorithm: 'HS256', issuer: ISSUER, audience: AUDIENCE },
        verifyOptions: TOKEN_VERIFICATION,
      }),
    }),
  ],
  providers: [TokensService],
  exports: [TokensService],
})
class TokensModule {}

@Module({
  imports: [
    AccountStoreModule,
    AuditTrailModule,
    CountryLookupModule,
    DomainStoreModule,
    LinkStoreModule,
    JobStarterModule,
    MailModule,
    TokensModule,
  ],
  controllers: [
    SessionsController,
    OwnSessionsController,
    AccountsController,
    CodesController,
    OwnDeletionController,
    AccountPagesController,
    SetupController,
  ],
  providers: [
    AccountDeletionService,
    AccountMailsService,
    AccountPagesService,
    AccountsService,
    AdminsService,
    DeviceCookies,
    JwtStrategy,
    LoginThrottle,
    MailNotesService,
    OneTimeCodesService,
    OwnDeletionService,
    OwnerProofService,
    PageSessionStrategy,
    PasswordResetService,
    RegistrationPolicy,
    SessionBrowsers,
    SessionsService,
    SetupLinksService,
    SetupService,
    SignInLinksService,
    SignInLog,
    SignInPageService,
    ClosedAccounts,
    SuspensionService,
    VerificationService,
  ],
  exports: [
    AccountDeletionService,
    AccountMailsService,
    AccountStoreModule,
    AccountsService,
    AdminsService,
    ClosedAccounts,
    OneTimeCodesService,
    OwnerProofService,
    RegistrationPolicy,
    SessionsService,
    SetupLinksService,
    SignInLog,
    SignInPageService,
    SuspensionService,
    TokensModule,
  ],
})
export class AccountsModule {}
