import { isIP } from 'node:net';
import type { Mail, Sender } from '../../infrastructure/mail/mail-sender';
import { composeMail } from './account-mails';

export type AccountEvent =
  | { readonly what: 'password set' | 'password changed' | 'password reset' | 'codes locked' }
  | { readonly what: 'deletion requested'; readonly at: Date }
  | {
      readonly what:
        'deletion cancelled' | 'email change undone' | 'export requested' | 'sign-in link';
    }
  | { readonly what: 'provider linked' | 'provider unlinked'; readonly provider: string }
  | { readonly what: 'key created'; readonly name: string; readonly prefix: string };

interface NoticeWords {
  readonly subject: string;
  readonly lead: string;
  readonly advice: string;
}

const MAX_PLAIN_WORDS_LENGTH = 60;
const RECOVER =
  'If this was not you, reset your password, which ends all sessions. Then ' +
  'revoke the API keys and disconnect the sign-in methods that are not yours.';

function noticeWords(event: AccountEvent, site: string): NoticeWords {
  switch (event.what) {
    case 'password set':
      return {
        subject: 'A password was set for your account',
        lead: `Your account at ${site} now has a password. It had none before.`,
        advice: RECOVER,
      };
    case 'password changed':
      return {
        subject: 'Your password was changed',
        lead: `The password for your account at ${site} was changed, and all other sessions were ended.`,
        advice: RECOVER,
      };
    case 'password reset':
      return {
        subject: 'Your password was changed',
        lead: `The password for your account at ${site} was changed with a one-time code, and all sessions were ended.`,
        advice: RECOVER,
      };
    case 'codes locked':
      return {
        subject: 'Too many wrong codes for your account',
        lead:
          `Twenty wrong codes were entered for your account at ${site}. To prevent ` +
          'further guesses, no code is sent or accepted for 24 hours.',
        advice:
          'If this was not you, you do not have to do anything: your password and your sessions ' +
          'are unchanged, and you can sign in as usual.',
      };
    case 'deletion requested':
      return {
        subject: 'Your account will be deleted',
        lead: `Your account at ${site} will be deleted on ${timeText(event.at)}, with its links and their statistics. Until then, its API keys do not work.`,
        advice:
          'To keep the account, sign in and choose “Keep my account”. If this was not you, then ' +
          'also change your password, which ends all other sessions.',
      };
    case 'deletion cancelled':
      return {
        subject: 'Your account stays',
        lead: `The deletion of your account at ${site} was cancelled. Its links and API keys work again.`,
        advice: 'If this was not you, change your password, which ends all other sessions.',
      };
    case 'email change undone':
      return {
        subject: 'Your email address was removed from an account',
        lead: `An account at ${site} was changed to your email address. The owner of its previous address has undone this change. You can no longer sign in to that account.`,
        advice: 'If this was not you, you do not have to do anything.',
      };
    case 'export requested':
      return {
        subject: 'A copy of your data was requested',
        lead: `A copy of the data in your account at ${site}, with its links and clicks, was requested. It can be downloaded in the account’s settings for three days.`,
        advice: RECOVER,
      };
    case 'sign-in link':
      return {
        subject: 'A sign-in link for your account was created',
        lead: `The operator of ${site} created a link that signs in to your account once within an hour.`,
        advice: 'If this was not you, contact the operator.',
      };
    case 'provider linked':
      return {
        subject: 'A sign-in method was connected to your account',
        lead: `You can now sign in to your account at ${site} with ${plainWords(event.provider)}.`,
        advice: RECOVER,
      };
    case 'provider unlinked':
      return {
        subject: 'A sign-in method was disconnected from your account',
        lead: `You can no longer sign in to your account at ${site} with ${plainWords(event.provider)}.`,
        advice: RECOVER,
      };
    case 'key created':
      return {
        subject: 'An API key was created for your account',
        lead:
          `An API key was created for your account at ${site}. Its name is “${plainWords(event.name)}”, ` +
          `and it begins with svc_${event.prefix}.`,
        advice: RECOVER,
      };
  }
}

/**
 * Contains no links, because users must not learn to trust links in notices, which can be forged.
 */
export function noticeMail(
  to: string,
  event: AccountEvent,
  { at, address }: { readonly at: Date; readonly address: string },
  from: Sender,
): Mail {
  return composeMail(to, from, {
    template: 'notice',
    ...noticeWords(event, from.site),
    time: timeText(at),
    address: clientText(address),
  });
}

/**
 * The only notice with a link, because its reader may have lost access to the account.
 * @param undo path of the page that undoes the change
 */
export function emailChangedMail(
  to: string,
  undo: string,
  { at, address }: { readonly at: Date; readonly address: string },
  from: Sender,
): Mail {
  return composeMail(to, from, {
    template: 'notice',
    subject: 'Your email address was changed',
    lead: `The email address of your account at ${from.site} was changed. This address is no longer used.`,
    time: timeText(at),
    address: clientText(address),
    advice:
      'If this was not you, undo the change within seven days. This also ends all sessions and ' +
      'removes API keys and sign-in methods added since the change.',
    page: { path: undo, action: 'Undo the change' },
  });
}

/** A proxy might forward text that is not an address. */
function clientText(address: string): string {
  return isIP(address) === 0 ? 'unknown' : address;
}

function timeText(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Keeps only letters, digits and spaces: email programs turn text with dots into links. */
export function plainWords(text: string): string {
  const words = text
    .toWellFormed()
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}_-]+/gu, ' ')
    .trim();
  return Array.from(words).slice(0, MAX_PLAIN_WORDS_LENGTH).join('').trim() || 'without a name';
}
