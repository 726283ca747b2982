import type { Mail } from '../../infrastructure/mail/mail-sender';
import { CODE_MINUTES, type ProofPurpose } from '../codes/code.schema';

export interface Sender {
  readonly site: string;
  readonly baseUrl: string;
}

/** Adds the host, for readers with accounts on several services. */
export function mailSubject(text: string, { baseUrl }: Sender): string {
  return `${text} (${new URL(baseUrl).host})`;
}

/** The subject contains the code, so that users can read it in a notification. */
export function verificationMail(to: string, code: string, sender: Sender): Mail {
  return {
    to,
    subject: mailSubject(`Your verification code: ${code}`, sender),
    template: 'verification',
    values: {
      site: sender.site,
      code,
      minutes: String(CODE_MINUTES),
      page: `${sender.baseUrl}/register/verify`,
    },
  };
}

export function resetMail(to: string, code: string, sender: Sender): Mail {
  return {
    to,
    subject: mailSubject(`Your password reset code: ${code}`, sender),
    template: 'password-reset',
    values: {
      site: sender.site,
      code,
      minutes: String(CODE_MINUTES),
      page: `${sender.baseUrl}/login/reset-password`,
    },
  };
}

const PROVEN_ACTIONS: Readonly<Record<ProofPurpose | 'new_email', string>> = {
  deletion: 'delete your account',
  email: 'change your email address',
  new_email: 'confirm your new email address',
};

export function proofMail(
  to: string,
  purpose: ProofPurpose | 'new_email',
  code: string,
  sender: Sender,
): Mail {
  const action = PROVEN_ACTIONS[purpose];
  return {
    to,
    subject: mailSubject(`Your code to ${action}: ${code}`, sender),
    template: 'proof',
    values: { site: sender.site, action, code, minutes: String(CODE_MINUTES) },
  };
}

/** Contains no links. A null reason announces the end of the suspension. */
export function suspensionMail(to: string, reason: string | null, sender: Sender): Mail {
  const { site } = sender;
  const isOver = reason === null;
  return {
    to,
    subject: mailSubject(
      isOver ? 'Your account is active again' : 'Your account is suspended',
      sender,
    ),
    template: 'plain',
    values: isOver
      ? {
          lead: `The suspension of your account at ${site} has ended.`,
          advice: 'Your links and API keys work again. Sign in to use the account.',
        }
      : {
          lead: `Your account at ${site} is suspended: you cannot sign in, and its links and API keys do not work.`,
          advice: `Reason: ${reason}`,
        },
  };
}

export function takenEmailMail(to: string, sender: Sender): Mail {
  return {
    to,
    subject: mailSubject('Another account tried to use your email address', sender),
    template: 'plain',
    values: {
      lead: `Another account at ${sender.site} tried to change its email address to yours. Nothing was changed, and that account does not learn that you have one.`,
      advice: 'If this was you, sign in to the account of this address instead.',
    },
  };
}

export function deletionMail(to: string, sender: Sender): Mail {
  return {
    to,
    subject: mailSubject('Your account was deleted', sender),
    template: 'plain',
    values: {
      lead: `Your account at ${sender.site} was deleted, with its links, their statistics and its API keys.`,
      advice: 'You can use its email address for a new account.',
    },
  };
}

export function welcomeMail(to: string, sender: Sender): Mail {
  return {
    to,
    subject: mailSubject(`Welcome to ${sender.site}`, sender),
    template: 'welcome',
    values: { site: sender.site, baseUrl: sender.baseUrl },
  };
}
