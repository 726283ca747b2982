import { Injectable } from '@nestjs/common';
import { HttpOptions } from '../../config/options';
import { BackgroundTasks } from '../../platform/background/background-tasks';
import { MailSender } from '../../platform/mail/mail-sender';
import type { Account } from '../account';
import { OneTimeCodes } from '../codes/one-time-codes.service';
import { resetMail, verificationMail } from './code-mails';
import { welcomeMail } from './welcome-mail';

/** The three mails of contract 12.4; the codes in them are made here and go nowhere else. */
@Injectable()
export class AccountMails {
  constructor(
    private readonly codes: OneTimeCodes,
    private readonly sender: MailSender,
    private readonly background: BackgroundTasks,
    private readonly http: HttpOptions,
  ) {}

  /** Mails a new verification code; false when the mail could not be sent. */
  async sendVerification(account: Account): Promise<boolean> {
    const code = await this.codes.issue(account.id, 'verification');
    return this.sender.send(verificationMail(account.email, code));
  }

  async sendReset(account: Account): Promise<boolean> {
    const code = await this.codes.issue(account.id, 'reset');
    return this.sender.send(resetMail(account.email, code));
  }

  /** Best-effort, after the answer. */
  welcome(account: Account): void {
    this.background.run('the welcome mail', async () => {
      await this.sender.send(welcomeMail(account.email, this.http.baseUrl));
    });
  }
}
