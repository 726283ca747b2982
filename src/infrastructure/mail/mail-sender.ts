import { createHash } from 'node:crypto';
import type { ISendMailOptions, MailerService } from '@nestjs-modules/mailer';
import { Injectable, OnModuleDestroy } from '@nestjs/common';
import { AppLog } from '../../common/log';
import { DAY_MS, HOUR_MS } from '../../common/time';
import { serverFromUrl } from '../../config/url';
import { MailOptions } from '../../config/options';
import { RateLimitStore, type WindowRule } from '../rate-limit-store/rate-limit-store';
import { MailFailuresRepository } from './mail-failures.repository';
import { openMailer } from './mail-transport';
import { Outbox } from './outbox';

/** The installation, which every email names. */
export interface Sender {
  readonly site: string;
  readonly baseUrl: string;
}

export interface Mail {
  readonly to: string;
  readonly from: Sender;
  readonly subject: string;
  readonly template: string;
  /** Values may contain untrusted text. */
  readonly values: Readonly<Record<string, string>>;
  /** Path of the page that the email is about, and the words on the button that opens it. */
  readonly page?: { readonly path: string; readonly action: string };
}

/** Protects mailboxes from floods of emails (docs/contract.md#4.2). */
const MAILS_OF_A_MAILBOX: WindowRule = { limit: 10, ms: HOUR_MS };
/** Emails that other people's use of the mailbox limit must not suppress, by prefix of the key. */
const MAIL_LIMITS = {
  mails: [MAILS_OF_A_MAILBOX],
  warning: [{ limit: 1, ms: DAY_MS }],
} as const satisfies Record<string, readonly WindowRule[]>;

/** Description text for routes that send emails. */
export const MAILBOX_LIMIT_TEXT = `A mailbox receives at most ${MAILS_OF_A_MAILBOX.limit} emails per hour. Further emails are not sent, but the response is the same.`;

/** Sends by SMTP, or writes to the outbox if SMTP_URL is not set; takes at most five seconds. */
@Injectable()
export class MailSender implements OnModuleDestroy {
  private opened?: Promise<MailerService>;

  constructor(
    private readonly options: MailOptions,
    private readonly outbox: Outbox,
    private readonly windows: RateLimitStore,
    private readonly failures: MailFailuresRepository,
    private readonly log: AppLog,
  ) {}

  /**
   * Returns false if sending failed, which is logged. Returns true if the mailbox limit skips the
   * email, because callers must not learn how many emails a mailbox receives.
   */
  async send(
    address: string,
    compose: () => Mail | Promise<Mail>,
    limit: keyof typeof MAIL_LIMITS | 'unlimited' = 'mails',
  ): Promise<boolean> {
    try {
      if (limit !== 'unlimited' && !(await this.isWithin(limit, address))) {
        this.log.info('Skipped an email: the mailbox has reached its limit');
        return true;
      }
      const message = toMailOptions(await compose());
      const mailer = await this.mailer();
      const sent = (await mailer.sendMail(message)) as { message?: Buffer };
      if (sent.message !== undefined) await this.outbox.file(sent.message);
      return true;
    } catch (error) {
      const { smtpUrl } = this.options;
      this.log.warn('Could not send an email', {
        server: smtpUrl === null ? 'DATA_DIR/outbox' : serverFromUrl(smtpUrl),
        ...mailFailure(error),
      });
      await this.noteFailure();
      return false;
    }
  }

  private async isWithin(limit: keyof typeof MAIL_LIMITS, address: string): Promise<boolean> {
    const key = `${limit}|${mailboxDigest(address)}`;
    return (await this.windows.takeFromWindows(key, MAIL_LIMITS[limit])).allowed;
  }

  private async noteFailure(): Promise<void> {
    try {
      await this.failures.note(new Date());
    } catch (error) {
      this.log.debug('Could not record a failed email', { err: error });
    }
  }

  async canSend(): Promise<boolean> {
    return (await this.mailer()).verifyAllTransporters();
  }

  async onModuleDestroy(): Promise<void> {
    await (await this.opened)?.onModuleDestroy();
  }

  private mailer(): Promise<MailerService> {
    this.opened ??= openMailer(this.options);
    return this.opened;
  }
}

export function toMailOptions({
  to,
  from,
  subject,
  template,
  values,
  page,
}: Mail): ISendMailOptions {
  const { site, baseUrl } = from;
  const url = page && `${baseUrl}${page.path}`;
  const origin = `Sent by ${site}, ${new URL(baseUrl).host}`;
  return {
    // The address is an object, because a string would be parsed as a list of addresses.
    to: { name: '', address: to },
    subject,
    // Prevents automatic replies (RFC 3834, section 5.2).
    headers: { 'Auto-Submitted': 'auto-generated' },
    template: `${template}.html`,
    textTemplate: `${template}.txt`,
    context: {
      ...values,
      subject,
      site,
      origin,
      page: url,
      action: page?.action,
      // Text templates have no conditions.
      ending: url === undefined ? origin : `${page?.action ?? ''}: ${url}\n\n${origin}`,
    },
  };
}

/** Invisible characters that some mail servers remove. */
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;

/** A mailbox's digest; ignores case, quotes, dots and `+` suffixes, as most mail servers do. */
function mailboxDigest(address: string): string {
  const at = address.lastIndexOf('@');
  const unquoted = address.slice(0, at).normalize('NFKC').replace(/["\\]/g, '');
  const [local = ''] = unquoted.split('+');
  const mailbox = `${local.replaceAll('.', '')}@${address.slice(at + 1)}`.replace(IGNORED, '');
  return createHash('sha256').update(mailbox.toLowerCase()).digest('base64url');
}

/** Keeps only plain words from the response, which may quote the message or credentials. */
function mailFailure(error: unknown): { reason: string; answer?: string } {
  if (!(error instanceof Error)) return { reason: 'unknown' };
  const { code, response } = error as Error & { code?: unknown; response?: unknown };
  const reason = typeof code === 'string' ? code : error.name;
  return typeof response === 'string' ? { reason, answer: plainAnswer(response) } : { reason };
}

const MAX_REPLY_CHARACTERS = 200;

export function plainAnswer(response: string): string {
  return response
    .slice(0, 4 * MAX_REPLY_CHARACTERS)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(/\S*@\S*/g, '…')
    .replace(/\d{6,}/g, '…')
    .replace(/[^\s.:,;()<>]{20,}/g, '…')
    .slice(0, MAX_REPLY_CHARACTERS)
    .trim();
}
