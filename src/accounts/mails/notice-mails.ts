import { isIP } from 'node:net';
import { html } from '../../common/http/html';
import { site } from '../../common/site';
import type { Mail } from '../../infrastructure/mail/mail-sender';
import { mailLayout } from './mail-texts';

/** What the owner of an account is told of, whoever has done it (docs/contract.md#12.5, row "Notices"). */
export type AccountEvent =
  | { readonly what: 'password set' | 'password changed' | 'codes locked' }
  | { readonly what: 'provider linked' | 'provider unlinked'; readonly provider: string }
  | { readonly what: 'key created'; readonly name: string; readonly prefix: string };

/** When, and from which client address. */
export interface Circumstances {
  readonly at: Date;
  readonly address: string;
}

interface NoticeWords {
  readonly subject: string;
  readonly lead: string;
  readonly otherwise: string;
}

const LONGEST_NAME = 60;
const RECOVER =
  'If this was not you, set a new password with the password reset, which ends all sessions, then ' +
  'revoke the API keys and unlink the sign-in methods that you do not know.';

function wordsOf(event: AccountEvent): NoticeWords {
  switch (event.what) {
    case 'password set':
      return {
        subject: 'A password was set for your account',
        lead: `Your account at ${site().name} has a password now. It had none before.`,
        otherwise: RECOVER,
      };
    case 'password changed':
      return {
        subject: 'Your password was changed',
        lead: `The password of your account at ${site().name} was changed, and all sessions were ended.`,
        otherwise: RECOVER,
      };
    case 'codes locked':
      return {
        subject: 'Too many wrong codes were tried for your account',
        lead:
          `Somebody has tried twenty wrong codes for your account at ${site().name}. For 24 hours no code ` +
          'is sent or accepted, so that nobody can go on guessing.',
        otherwise:
          'If this was not you, there is nothing you have to do: your password and your sessions ' +
          'are as they were, and you can sign in as you usually do.',
      };
    case 'provider linked':
      return {
        subject: 'A sign-in method was linked to your account',
        lead: `Your account at ${site().name} can be signed in to with ${plainWords(event.provider)} now.`,
        otherwise: RECOVER,
      };
    case 'provider unlinked':
      return {
        subject: 'A sign-in method was unlinked from your account',
        lead: `Your account at ${site().name} can no longer be signed in to with ${plainWords(event.provider)}.`,
        otherwise: RECOVER,
      };
    case 'key created':
      return {
        subject: 'An API key was created for your account',
        lead:
          `An API key was created for your account at ${site().name}. Its name is “${plainWords(event.name)}”, ` +
          `and it begins with svc_${event.prefix}.`,
        otherwise: RECOVER,
      };
  }
}

/** Says what has happened. There is nothing to click: a link is what a forged notice would have. */
export function noticeMail(to: string, event: AccountEvent, { at, address }: Circumstances): Mail {
  const { subject, lead, otherwise } = wordsOf(event);
  const when = `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  // What a proxy passes on as an address need not be one.
  const origin = isIP(address) === 0 ? 'unknown' : address;
  const circumstances = `Time: ${when}. Client address: ${origin}.`;
  return {
    to,
    subject,
    text: `Hello,\n\n${lead}\n\n${circumstances}\n\n${otherwise}\n`,
    html: mailLayout(
      subject,
      html`<p>Hello,</p>
        <p>${lead}</p>
        <p>${circumstances}</p>
        <p>${otherwise}</p>`,
    ),
  };
}

/**
 * Letters, digits and spaces of a text that somebody typed, cut short. A full stop or a slash would
 * be enough for a mail program to make a link of it.
 */
export function plainWords(text: string): string {
  const words = text
    .toWellFormed()
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}_-]+/gu, ' ')
    .trim();
  return Array.from(words).slice(0, LONGEST_NAME).join('').trim() || 'without a name';
}
