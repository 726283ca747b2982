import { Injectable, OnModuleDestroy } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import type { MailerService } from '@nestjs-modules/mailer';
import { MailOptions } from '../../config/options';
import { AppLog } from '../../core/log';
import type { Mail } from './mail';
import { openMailer } from './mail-transport';
import { Outbox } from './outbox';

/** Sends mails over SMTP_URL or, without one, into the outbox; within five seconds either way. */
@Injectable()
export class MailSender implements OnModuleDestroy {
  private opened?: Promise<MailerService>;

  constructor(
    private readonly options: MailOptions,
    private readonly outbox: Outbox,
    private readonly loader: LazyModuleLoader,
    private readonly log: AppLog,
  ) {}

  /** True when the mail server has taken the mail (or the outbox has); a failure is logged. */
  async send(mail: Mail): Promise<boolean> {
    try {
      const mailer = await this.mailer();
      // An address object: the text of an address is never read as a list of addresses.
      const to = { name: '', address: mail.to };
      const sent = (await mailer.sendMail({ ...mail, to })) as { message?: Buffer };
      if (sent.message !== undefined) await this.outbox.file(sent.message);
      return true;
    } catch (error) {
      this.log.warn('A mail could not be sent', { reason: reasonOf(error) });
      return false;
    }
  }

  /** Whether the mail server lets us in. */
  async canSend(): Promise<boolean> {
    return (await this.mailer()).verifyAllTransporters();
  }

  async onModuleDestroy(): Promise<void> {
    await (await this.opened)?.onModuleDestroy();
  }

  private mailer(): Promise<MailerService> {
    this.opened ??= openMailer(this.loader, this.options);
    return this.opened;
  }
}

/** The kind of failure; a server's own words may quote the message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error ? String(error.code) : error.name;
  const answer = 'responseCode' in error ? ` ${String(error.responseCode)}` : '';
  return `${code}${answer}`;
}
