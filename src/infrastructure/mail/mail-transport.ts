import { join } from 'node:path';
import type { MailerOptions, MailerService } from '@nestjs-modules/mailer';
import { MailOptions } from '../../config/options';

/** Total limit, from the name look-up to the server's last response. */
export const MAIL_MS = 5000;

/** Lazy: nodemailer and its Nest module take a quarter of a second to load. */
export async function openMailer(options: MailOptions): Promise<MailerService> {
  const { MailerService: Mailer } = await import('@nestjs-modules/mailer');
  const OfOptions = Mailer as new (options: MailerOptions) => MailerService;
  return new OfOptions(await mailerOptions(options));
}

/** `.html` templates are rendered into `layout.hbs` and escaped; `.txt` templates are not. */
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
      // A missing value throws instead of leaving a gap.
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
