import { join } from 'node:path';
import type { MailerOptions, MailerService } from '@nestjs-modules/mailer';
import { MailOptions } from '../../config/options';

/** All that a mail may take, from the name look-up to the server's last word. */
export const MAIL_MS = 5000;

/**
 * The mailer, loaded when it is first needed: nodemailer and its Nest module cost a quarter of a
 * second at every start of a process that may never send a mail.
 */
export async function openMailer(options: MailOptions): Promise<MailerService> {
  const { MailerService: Mailer } = await import('@nestjs-modules/mailer');
  // Its module gives it no more, either.
  const OfOptions = Mailer as new (options: MailerOptions) => MailerService;
  return new OfOptions(await mailerOptions(options));
}

/**
 * How mails are made and sent. Each has two files in `templates`: `.html`, which Handlebars renders
 * into `layout.hbs` with every value escaped, and `.txt`, into which values are put as they are.
 */
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
      // A value that is not given is an error, not a gap in the mail.
      options: { strict: true },
    },
    options: { layout: 'layout' },
  };
}

/** The message as a buffer with the line ends of the wire, for the outbox. */
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
