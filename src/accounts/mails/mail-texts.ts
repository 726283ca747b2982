import { html, Html } from '../../common/http/html';
import { site } from '../../common/site';
import type { Mail } from '../../infrastructure/mail/mail-sender';
import { CODE_SECONDS } from '../codes/code.schema';

const PAPER = 'background:#f4f5f7;margin:0;padding:24px 12px';
const CARD =
  'max-width:480px;margin:0 auto;padding:28px;background:#ffffff;color:#1c2430;border-radius:10px;font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,sans-serif';
const CODE =
  'margin:20px 0;padding:14px;background:#eef1f6;border-radius:8px;font:700 30px/1.2 ui-monospace,Menlo,Consolas,monospace;letter-spacing:4px;text-align:center';

/** The frame of an HTML mail; mail programs read inline styles only. */
export function mailLayout(title: string, body: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title}</title>
      </head>
      <body style="${PAPER}">
        <div style="${CARD}">${body}</div>
      </body>
    </html> `.markup;
}

/** A code in one run of characters, so that a double click takes all of it. */
export function codeBlock(code: string): Html {
  return html`<p style="${CODE}">${code}</p>`;
}

const MINUTES = CODE_SECONDS / 60;

/** Words of a mail that carries a code. */
interface CodeWords {
  readonly subject: string;
  readonly lead: string;
  readonly ignore: string;
}

function codeMail(to: string, code: string, words: CodeWords): Mail {
  const validity = `The code is valid for ${MINUTES} minutes and works once.`;
  return {
    to,
    subject: words.subject,
    text: `Hello,\n\n${words.lead}\n\n${code}\n\n${validity}\n${words.ignore}\n`,
    html: mailLayout(
      words.subject,
      html`<p>Hello,</p>
        <p>${words.lead}</p>
        ${codeBlock(code)}
        <p>${validity}</p>
        <p>${words.ignore}</p>`,
    ),
  };
}

/** The code that proves that a mailbox is the account's. */
export function verificationMail(to: string, code: string): Mail {
  return codeMail(to, code, {
    subject: 'Your verification code',
    lead: `This is your code to verify your email address at ${site().name}:`,
    ignore: 'If you did not sign up, you can ignore this mail.',
  });
}

/** The code that allows to set another password. */
export function resetMail(to: string, code: string): Mail {
  return codeMail(to, code, {
    subject: 'Your password reset code',
    lead: `This is your code to set a new password at ${site().name}:`,
    ignore: 'If you did not ask for it, you can ignore this mail; your password stays as it is.',
  });
}

/** Sent once the email address is verified. */
export function welcomeMail(to: string, baseUrl: string): Mail {
  const subject = `Welcome to ${site().name}`;
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
