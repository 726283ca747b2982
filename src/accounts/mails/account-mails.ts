import type { Mail, Sender } from '../../infrastructure/mail/mail-sender';
import { CODE_MINUTES, type ProofPurpose } from '../codes/code.schema';

type MailValue = 'lead' | 'advice' | 'code' | 'minutes' | 'time' | 'address' | 'reason' | 'links';

interface MailText extends Partial<Record<MailValue, string>>, Pick<Mail, 'subject' | 'page'> {
  readonly template?: 'blocked' | 'code' | 'notice' | 'plain';
}

/** Adds the host to the subject, for readers with accounts on several services. */
export function composeMail(
  to: string,
  from: Sender,
  { template = 'plain', subject, page, ...values }: MailText,
): Mail {
  const host = new URL(from.baseUrl).host;
  return { to, from, template, subject: `${subject} (${host})`, values, page };
}

/** The subject contains the code, so that a notification shows it. */
export function verificationMail(to: string, code: string, from: Sender): Mail {
  return composeMail(to, from, {
    template: 'code',
    subject: `Your verification code: ${code}`,
    lead: `This is your code to verify your email address at ${from.site}:`,
    code,
    minutes: String(CODE_MINUTES),
    advice: 'If you did not sign up, you can ignore this email.',
    page: { path: '/register/verify', action: 'Enter the code' },
  });
}

export function resetMail(to: string, code: string, from: Sender): Mail {
  return composeMail(to, from, {
    template: 'code',
    subject: `Your password reset code: ${code}`,
    lead: `This is your code to set a new password at ${from.site}:`,
    code,
    minutes: String(CODE_MINUTES),
    advice: 'If you did not request it, you can ignore this email; your password stays unchanged.',
    page: { path: '/login/reset-password', action: 'Enter the code' },
  });
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
  from: Sender,
): Mail {
  const action = PROVEN_ACTIONS[purpose];
  return composeMail(to, from, {
    template: 'code',
    subject: `Your code to ${action}: ${code}`,
    lead: `This is your code to ${action} at ${from.site}. Enter it on the page where you requested it:`,
    code,
    minutes: String(CODE_MINUTES),
    advice:
      'If you did not request it, another person may be using your session: change your password.',
  });
}

/** A null reason announces the end of the suspension. */
export function suspensionMail(to: string, reason: string | null, from: Sender): Mail {
  const { site } = from;
  if (reason === null)
    return composeMail(to, from, {
      subject: 'Your account is active again',
      lead: `The suspension of your account at ${site} has ended.`,
      advice: 'Your links and API keys work again. Sign in to use the account.',
      page: { path: '/dashboard', action: 'Open your account' },
    });
  return composeMail(to, from, {
    subject: 'Your account is suspended',
    lead: `Your account at ${site} is suspended: you cannot sign in, and its links and API keys do not work.`,
    advice: `Reason: ${reason}`,
  });
}

export function takenEmailMail(to: string, from: Sender): Mail {
  return composeMail(to, from, {
    subject: 'Another account tried to use your email address',
    lead: `Another account at ${from.site} tried to change its email address to yours. Nothing was changed, and the other account cannot see that you have one.`,
    advice: 'If this was you, sign in to the account of this address instead.',
  });
}

export function deletionMail(to: string, from: Sender): Mail {
  return composeMail(to, from, {
    subject: 'Your account was deleted',
    lead: `Your account at ${from.site} was deleted, with its links, their statistics and its API keys.`,
    advice: 'You can use its email address for a new account.',
  });
}

export function welcomeMail(to: string, from: Sender): Mail {
  return composeMail(to, from, {
    subject: `Welcome to ${from.site}`,
    lead: `Your email address is verified, and your account at ${from.site} is ready.`,
    advice: 'Shorten links, manage them and read their statistics.',
    page: { path: '/dashboard', action: 'Open your account' },
  });
}
