import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/access';
import type { Client } from '../../infrastructure/client-address/client-address';
import { DatabaseUnavailableError } from '../../common/errors';
import { BackgroundTasks } from '../../common/background-tasks';
import { MongoConnector } from '../../infrastructure/mongo/mongo-connector';
import { type Account, isGoing, SignInLog, signInMethods } from '../account/account';
import type {
  CodeSentResponse,
  MessageResponse,
  VerifiedResponse,
} from '../account/account.response';
import { CodeRefusedError, MailNotSentError } from '../account/accounts.errors';
import { AccountsRepository } from '../account/accounts.repository';
import { AccountsService } from '../sign-in/accounts.service';
import { CODE_SECONDS } from '../codes/code.schema';
import { AdminsService } from '../admin-role/admins.service';
import { OneTimeCodesService } from '../codes/one-time-codes.service';
import { AccountMailsService } from '../mails/account-mails.service';
import { SessionAnswer, type SignInOrigin } from '../sessions/session';
import { SessionsService } from '../sessions/sessions.service';
import { hashAccountPassword, refuseWeakPassword } from '../account/account-password';
import { ResetPasswordDto } from '../account/accounts.dto';

@Injectable()
export class VerificationService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly repository: AccountsRepository,
    private readonly codes: OneTimeCodesService,
    private readonly mails: AccountMailsService,
    private readonly sessions: SessionsService,
    private readonly admins: AdminsService,
  ) {}

  async send(principal: Principal): Promise<CodeSentResponse> {
    const account = await this.accounts.demand(principal);
    if (account.emailVerified) {
      return { success: true, message: 'The email address is already verified', expires_in: 0 };
    }
    if (await this.codes.isLocked(account.id)) {
      const message = 'Too many wrong codes; no new code is sent for 24 hours';
      return { success: true, message, expires_in: 0 };
    }
    if (!(await this.mails.sendVerification(account))) throw new MailNotSentError();
    return { success: true, message: 'A code is on its way', expires_in: CODE_SECONDS };
  }

  async verify(
    principal: Principal,
    code: string,
    origin: SignInOrigin,
  ): Promise<SessionAnswer<VerifiedResponse>> {
    const { client } = origin;
    const { id, emailVerified } = await this.accounts.demand(principal);
    if (emailVerified) throw new CodeRefusedError();
    const { accepted, locked } = await this.codes.use(id, 'verification', code, client.key);
    if (locked) this.mails.notify(id, { what: 'codes locked' }, client);
    if (!accepted) throw new CodeRefusedError();
    const account = await this.repository.markVerified(id);
    if (account === null) throw new CodeRefusedError();
    this.mails.welcome(account);
    await this.admins.grantIfListed(account);
    const session = await this.sessions.start(account, signInMethods(account), origin);
    const answer: VerifiedResponse = {
      success: true,
      message: 'The email address is verified',
      email_verified: true,
      access_token: session.accessToken,
    };
    return new SessionAnswer(answer, session);
  }
}

/** Takes the same steps for an email without an account, so that the timing is equal. */
@Injectable()
export class PasswordResetService {
  constructor(
    private readonly repository: AccountsRepository,
    private readonly codes: OneTimeCodesService,
    private readonly mails: AccountMailsService,
    private readonly sessions: SessionsService,
    private readonly background: BackgroundTasks,
    private readonly mongo: MongoConnector,
    private readonly signIns: SignInLog,
  ) {}

  /** Responds before looking up the email, so as not to reveal whether an account exists. */
  async request(email: string, client: Client): Promise<MessageResponse> {
    if (!(await this.mongo.isHealthy())) throw new DatabaseUnavailableError();
    this.background.run('password reset email', () => this.mailCode(email, client));
    return { success: true, message: 'If an account has this email address, a code is on its way' };
  }

  async reset(body: ResetPasswordDto, client: Client): Promise<MessageResponse> {
    refuseWeakPassword(body.password);
    const account = await this.findOpen(body.email);
    const id = account?.id ?? this.codes.idOfEmail(body.email);
    const { accepted, locked } = await this.codes.judge(id, 'reset', body.code, client.key);
    if (locked) this.mails.notify(id, { what: 'codes locked' }, client);
    if (!accepted || account === null) {
      this.signIns.failed(client, account, 'wrong code');
      throw new CodeRefusedError();
    }
    // Hashes the password first, so that the code stays valid if the hash queue is full.
    const passwordHash = await hashAccountPassword(body.password, client);
    if (!(await this.codes.consume(id, 'reset', body.code))) throw new CodeRefusedError();
    if (!(await this.repository.replacePassword(account, passwordHash)))
      throw new CodeRefusedError();
    await this.sessions.endAllSessions(account.id);
    this.mails.notify(id, { what: 'password reset' }, client);
    return { success: true, message: 'The password is changed; sign in with the new one' };
  }

  private async mailCode(email: string, client: Client): Promise<void> {
    const account = await this.findOpen(email);
    const id = account?.id ?? this.codes.idOfEmail(email);
    if (!(await this.codes.takeMail(id, client.key))) return;
    if (account === null || account.passwordHash === null)
      await this.codes.issueUnknowable(id, 'reset');
    else await this.mails.sendReset(account);
  }

  /** Accounts without a password can have a code from an undone change of address (23.3). */
  private async findOpen(email: string): Promise<Account | null> {
    const account = await this.repository.findByEmail(email);
    if (account === null) return null;
    return account.suspended !== null || isGoing(account) ? null : account;
  }
}
