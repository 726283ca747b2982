import { html } from '../../http/html';
import type { Mail } from '../../platform/mail/mail';
import { CODE_SECONDS } from '../codes/code';
import { codeBlock, mailLayout } from './mail-layout';

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
    lead: 'This is your code to verify your email address at Curtail:',
    ignore: 'If you did not sign up, you can ignore this mail.',
  });
}

/** The code that allows to set another password. */
export function resetMail(to: string, code: string): Mail {
  return codeMail(to, code, {
    subject: 'Your password reset code',
    lead: 'This is your code to set a new password at Curtail:',
    ignore: 'If you did not ask for it, you can ignore this mail; your password stays as it is.',
  });
}
