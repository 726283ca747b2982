import { Injectable } from '@nestjs/common';
import type { Client } from '../../infrastructure/client-address/client-address';
import { HttpOptions, SiteOptions } from '../../config/options';
import { BackgroundTasks } from '../../common/background-tasks';
import { MailSender, type Sender } from '../../infrastructure/mail/mail-sender';
import { type Account, heldAddresses } from '../account/account';
import { AccountsRepository } from '../account/accounts.repository';
import type { ProofPurpose } from '../codes/code.schema';
import { OneTimeCodesService } from '../codes/one-time-codes.service';
import {
  proofMail,
  resetMail,
  suspensionMail,
  takenEmailMail,
  verificationMail,
  welcomeMail,
} from './account-mails';
import { type AccountEvent, emailChangedMail, noticeMail } from './notice-mails';

/** Creates codes only for emails that are sent, since a code invalidates the previous one. */
@Injectable()
export class AccountMailsService {
  private readonly from: Sender;

  constructor(
    private readonly accounts: AccountsRepository,
    private readonly codes: OneTimeCodesService,
    private readonly sender: MailSender,
    private readonly background: BackgroundTasks,
    http: HttpOptions,
    site: SiteOptions,
  ) {
    this.from = { site: site.name, baseUrl: http.baseUrl };
  }

  /** Returns false if the email could not be sent. */
  async sendVerification({ id, email }: Account): Promise<boolean> {
    return this.sender.send(email, async () =>
      verificationMail(email, await this.codes.issue(id, 'verification'), this.from),
    );
  }

  async sendReset({ id, email }: Account): Promise<boolean> {
    return this.sender.send(email, async () =>
      resetMail(email, await this.codes.issue(id, 'reset'), this.from),
    );
  }

  async sendProof({ id, email }: Account, purpose: ProofPurpose): Promise<boolean> {
    return this.sender.send(email, async () =>
      proofMail(email, purpose, await this.codes.issue(id, purpose), this.from),
    );
  }

  async sendNewEmailCode(id: string, email: string): Promise<boolean> {
    return this.sender.send(email, async () =>
      proofMail(email, 'new_email', await this.codes.issue(id, 'new_email', email), this.from),
    );
  }

  /** Tells the owner of an address that another account tried to take it. */
  async warnOfTakenEmail(email: string): Promise<void> {
    await this.sender.send(email, () => takenEmailMail(email, this.from), 'warning');
  }

  /** Returns false if neither the mail server nor the outbox took the email. */
  sendEmailChanged({ email }: Account, token: string, { address }: Client): Promise<boolean> {
    const undo = `/login/undo-email?token=${token}`;
    const circumstances = { at: new Date(), address };
    const compose = () => emailChangedMail(email, undo, circumstances, this.from);
    return this.sender.send(email, compose, 'unlimited');
  }

  /** @param email the account's previous address */
  tellOfUndoneChange(email: string, { address }: Client): void {
    const circumstances = { at: new Date(), address };
    this.background.run('notice email (change undone)', async () => {
      const event = { what: 'email change undone' } as const;
      await this.sender.send(email, () => noticeMail(email, event, circumstances, this.from));
    });
  }

  welcome({ email }: Account): void {
    this.background.run('welcome email', async () => {
      await this.sender.send(email, () => welcomeMail(email, this.from));
    });
  }

  /** Sends the email after the response. A null reason announces the end of the suspension. */
  tellOfSuspension(email: string, reason: string | null): void {
    this.background.run('suspension email', async () => {
      await this.sender.send(email, () => suspensionMail(email, reason, this.from));
    });
  }

  notify(userId: string, event: AccountEvent, { address }: Pick<Client, 'address'>): void {
    const circumstances = { at: new Date(), address };
    this.background.run(`notice email (${event.what})`, async () => {
      const account = await this.accounts.findById(userId);
      if (account === null) return;
      const isDeletion = event.what === 'deletion requested' || event.what === 'deletion cancelled';
      for (const email of [account.email, ...(isDeletion ? heldAddresses(account) : [])]) {
        await this.sender.send(email, () => noticeMail(email, event, circumstances, this.from));
      }
    });
  }
}
