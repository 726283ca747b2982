import { Injectable } from '@nestjs/common';
import { limitRow } from '../access/limits.table';
import { DatabaseUnavailableError } from '../core/errors';
import type { Client } from '../platform/address/client';
import { BackgroundTasks } from '../platform/background/background-tasks';
import { MongoConnector } from '../platform/mongo/mongo-connector';
import { WindowStore } from '../platform/windows/window-store';
import { hashAccountPassword } from './account-password';
import type { MessageAnswer } from './accounts.answers';
import { ResetPasswordDto } from './accounts.dto';
import { AccountsRepository } from './accounts.repository';
import { OneTimeCodes } from './codes/one-time-codes.service';
import { AccountMails } from './mails/account-mails.service';
import { refuseWeakPassword } from './password-policy';
import { Sessions } from './sessions/sessions.service';

/** Stands for the account of an unknown email, so that its code costs the same look-up. */
const NOBODY = '0'.repeat(24);

/** Another password by a code that is mailed (contract 12.2, 12.4). */
@Injectable()
export class PasswordReset {
  constructor(
    private readonly repository: AccountsRepository,
    private readonly codes: OneTimeCodes,
    private readonly mails: AccountMails,
    private readonly sessions: Sessions,
    private readonly windows: WindowStore,
    private readonly background: BackgroundTasks,
    private readonly mongo: MongoConnector,
  ) {}

  /** Answers before anything about the email is looked up: the answer cannot depend on it. */
  async request(email: string): Promise<MessageAnswer> {
    if (!(await this.mongo.isHealthy())) throw new DatabaseUnavailableError();
    this.background.run('a password reset mail', () => this.mailCode(email));
    return { success: true, message: 'If the email has an account, a code is on its way' };
  }

  /** Stores the new password and ends all sessions of the account. */
  async reset(body: ResetPasswordDto, client: Client): Promise<MessageAnswer> {
    refuseWeakPassword(body.password);
    const account = await this.repository.findByEmail(body.email);
    await this.codes.use(account?.id ?? NOBODY, 'reset', body.code);
    if (account !== null) {
      const passwordHash = await hashAccountPassword(body.password, client);
      await this.repository.replacePassword(account, passwordHash);
      await this.sessions.endAllOf(account.id);
    }
    return { success: true, message: 'The password is changed, sign in with the new one' };
  }

  private async mailCode(email: string): Promise<void> {
    const account = await this.repository.findByEmail(email);
    if (account === null || account.passwordHash === null) return;
    const { authenticated = [] } = limitRow('auth.reset-mail');
    const { allowed } = await this.windows.take(
      `auth.reset-mail|user:${account.id}`,
      authenticated,
    );
    if (allowed) await this.mails.sendReset(account);
  }
}
