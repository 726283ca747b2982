import { html } from '../../http/html';
import type { Mail } from '../../platform/mail/mail';
import { mailLayout } from './mail-layout';

/** Sent once the email address is verified. */
export function welcomeMail(to: string, baseUrl: string): Mail {
  const subject = 'Welcome to Curtail';
  return {
    to,
    subject,
    text:
      'Hello,\n\nyour email address is verified, and your account is ready: shorten links, manage ' +
      `them and read their statistics.\n\n${baseUrl}/\n`,
    html: mailLayout(
      subject,
      html`<p>Hello,</p>
        <p>
          your email address is verified, and your account is ready: shorten links, manage them and
          read their statistics.
        </p>
        <p><a href="${baseUrl}/">${baseUrl}/</a></p>`,
    ),
  };
}
