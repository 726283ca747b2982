import { Injectable } from '@nestjs/common';
import type { Client } from '../../infrastructure/client-address/client-address';
import { DatabaseUnavailableError } from '../../common/errors';
import { BackgroundTasks } from '../../common/background-tasks';
import { MongoConnector } from '../../infrastructure/mongo/mongo-connector';
import { type Account, isGoing } from '../account';
import { hashAccountPassword, refuseWeakPassword } from '../account-password';
import type { MessageResponse } from '../account.response';
import { ResetPasswordDto } from '../accounts.dto';
import { AccountsRepository } from '../accounts.repository';
import { CodeRefusedError } from '../accounts.errors';
import { OneTimeCodesService } from './one-time-codes.service';
import { AccountMailsService } from '../mails/account-mails.service';
import { SessionsService } from '../sessions/sessions.service';
import { SignInLog } from '../sign-in-log';

/**
 * Another password by a code that is mailed (docs/contract.md#12.2, docs/contract.md#12.4).
 *
 * An email without an account, or whose account has no password, goes the whole way under an id of
 * its own, with a code that nobody can know: each step then costs what it costs for an account.
 */
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

  /** Answers before anything about the email is looked up: the answer cannot depend on it. */
  async request(email: string, client: Client): Promise<MessageResponse> {
    if (!(await this.mongo.isHealthy())) throw new DatabaseUnavailableError();
    this.background.run('a password reset mail', () => this.mailCode(email, client));
    return { success: true, message: 'If the email has an account, a code is on its way' };
  }

  /** Stores the new password and ends all sessions of the account. */
  async reset(body: ResetPasswordDto, client: Client): Promise<MessageResponse> {
    refuseWeakPassword(body.password);
    const account = await this.resettable(body.email);
    const id = account?.id ?? this.codes.idOfEmail(body.email);
    const { accepted, locked } = await this.codes.judge(id, 'reset', body.code, client.key);
    if (locked) this.mails.notify(id, { what: 'codes locked' }, client);
    if (!accepted || account === null) {
      this.signIns.failed(client, account, 'wrong code');
      throw new CodeRefusedError();
    }
    // May be refused for want of room in its queue: the code must work again afterwards.
    const passwordHash = await hashAccountPassword(body.password, client);
    if (!(await this.codes.consume(id, 'reset', body.code))) throw new CodeRefusedError();
    await this.repository.replacePassword(account, passwordHash);
    await this.sessions.endAllSessions(account.id);
    this.mails.notify(id, { what: 'password reset' }, client);
    return { success: true, message: 'The password is changed, sign in with the new one' };
  }

  private async mailCode(email: string, client: Client): Promise<void> {
    const account = await this.resettable(email);
    const id = account?.id ?? this.codes.idOfEmail(email);
    if (!(await this.codes.takeMail(id, client.key))) return;
    if (account === null) await this.codes.issueUnknowable(id, 'reset');
    else await this.mails.sendReset(account);
  }

  /** The account of the email if it has a password to be replaced, and may be signed in to. */
  private async resettable(email: string): Promise<Account | null> {
    const account = await this.repository.findByEmail(email);
    if (account === null || account.passwordHash === null) return null;
    return account.suspended !== null || isGoing(account) ? null : account;
  }
}
