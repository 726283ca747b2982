import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ISendMailOptions, MailerOptions, MailerService } from '@nestjs-modules/mailer';
import { Injectable, OnModuleDestroy } from '@nestjs/common';
import { AppLog } from '../../common/log';
import { DAY_MS, HOUR_MS } from '../../common/time';
import { serverFromUrl } from '../../config/url';
import { DataOptions, MailOptions } from '../../config/options';
import { RateLimitStore, type WindowRule } from '../rate-limit-store/rate-limit-store';
import { MailFailuresRepository } from './mail-failures.repository';

/** Overall time limit, from name resolution to the server's last response. */
export const MAIL_MS = 5000;

/** Loads nodemailer and its Nest module on demand, because this takes a quarter of a second. */
async function openMailer(options: MailOptions): Promise<MailerService> {
  const { MailerService: Mailer } = await import('@nestjs-modules/mailer');
  const OfOptions = Mailer as new (options: MailerOptions) => MailerService;
  return new OfOptions(await mailerOptions(options));
}

/** `.html` templates are escaped and inserted into `layout.hbs`; `.txt` templates are not. */
export async function mailerOptions({ smtpUrl, from }: MailOptions): Promise<MailerOptions> {
  const { HandlebarsAdapter } = await import('@nestjs-modules/mailer/adapters/handlebars.adapter');
  return {
    transport: smtpUrl === null ? INTO_MEMORY : smtp(smtpUrl),
    defaults: { from, disableFileAccess: true, disableUrlAccess: true },
    sendTimeout: MAIL_MS,
    template: {
      dir: join(__dirname, 'templates'),
      adapter: new HandlebarsAdapter(undefined, {
        inlineCssOptions: { loadRemoteStylesheets: false },
      }),
      // A missing value throws an error instead of being rendered as an empty string.
      options: { strict: true },
    },
    options: { layout: 'layout' },
  };
}

const INTO_MEMORY: MailerOptions['transport'] = {
  streamTransport: true,
  buffer: true,
  newline: 'windows',
};

function smtp(url: string): MailerOptions['transport'] {
  return {
    url,
    dnsTimeout: MAIL_MS,
    connectionTimeout: MAIL_MS,
    greetingTimeout: MAIL_MS,
    socketTimeout: MAIL_MS,
  };
}

/** Number of bytes within which the recipient header is found. */
const MAX_MESSAGE_HEAD_BYTES = 4096;

/** Stores emails as `.eml` files in DATA_DIR/outbox if no mail server is configured. */
@Injectable()
export class Outbox {
  private readonly dir: string;

  constructor(
    data: DataOptions,
    private readonly log: AppLog,
  ) {
    this.dir = join(data.dir, 'outbox');
  }

  /** Writes the file atomically and logs its path, but never its content. */
  async file(message: Buffer): Promise<void> {
    const stamp = new Date().toISOString().replace(/[:.]/g, '-');
    const path = join(this.dir, `${stamp}-${randomBytes(4).toString('hex')}.eml`);
    await mkdir(this.dir, { recursive: true, mode: 0o700 });
    await writeFile(`${path}.part`, message, { mode: 0o600 });
    await rename(`${path}.part`, path);
    this.log.info(`SMTP_URL is not set; wrote an email to ${path}`);
  }

  async removeMessages(address: string): Promise<void> {
    for (const name of await readdir(this.dir).catch(() => [])) {
      if (!name.endsWith('.eml')) continue;
      const path = join(this.dir, name);
      // Another process may have removed the file.
      const head = await readHead(path).catch(() => '');
      if (parseRecipient(head) === address) await rm(path, { force: true });
    }
  }
}

async function readHead(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_MESSAGE_HEAD_BYTES));
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

function parseRecipient(head: string): string | null {
  const [, address = null] = /^To: *(?:"" *)?<?(.*?)>?\r?$/im.exec(head) ?? [];
  return address;
}

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
