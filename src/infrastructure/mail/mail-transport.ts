import { join } from 'node:path';
import type { MailerOptions, MailerService } from '@nestjs-modules/mailer';
import { MailOptions } from '../../config/options';

/** Overall time limit, from name resolution to the server's last response. */
export const MAIL_MS = 5000;

/** Loads nodemailer and its Nest module on demand, because this takes a quarter of a second. */
export async function openMailer(options: MailOptions): Promise<MailerService> {
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
