import type { LazyModuleLoader } from '@nestjs/core';
import type { MailerOptions, MailerService } from '@nestjs-modules/mailer';
import { MailOptions } from '../../config/options';

/** All that a mail may take, from the name look-up to the server's last word. */
export const MAIL_MS = 5000;

/**
 * The mailer, loaded when it is first needed: nodemailer and its Nest module cost a quarter of a
 * second at every start of a process that may never send a mail.
 */
export async function openMailer(
  loader: LazyModuleLoader,
  options: MailOptions,
): Promise<MailerService> {
  const { MailerModule, MailerService: Mailer } = await import('@nestjs-modules/mailer');
  const module = await loader.load(() => MailerModule.forRoot(mailerOptions(options)));
  return module.get(Mailer, { strict: false });
}

function mailerOptions({ smtpUrl, from }: MailOptions): MailerOptions {
  return {
    transport: smtpUrl === null ? INTO_MEMORY : smtp(smtpUrl),
    defaults: { from, disableFileAccess: true, disableUrlAccess: true },
    sendTimeout: MAIL_MS,
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
