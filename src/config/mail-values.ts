import { domainToASCII } from 'node:url';
import addressparser from 'nodemailer/lib/addressparser';
import { z } from 'zod';
import type { Registration } from './options';

const text = z.string();

const MAILBOX = /^[^\s@<>()[\]\\,:;"]+@[^\s@<>()[\]\\,:;".]+(?:\.[^\s@<>()[\]\\,:;".]+)*$/;
export const mailFrom = text.refine(
  (value) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value) && isMailbox(value),
  {
    error: 'must be an email address, such as links@example.com or Links <links@example.com>',
  },
);

/** The parser would accept two addresses without a comma as one address with a name. */
function isMailbox(value: string): boolean {
  const [first, ...others] = addressparser(value);
  if (first === undefined || !('address' in first) || others.length > 0) return false;
  const isOne = !first.name.includes('@') || /^[^<>]*<[^<>]*>$/.test(value);
  return isOne && MAILBOX.test(first.address);
}

export const registration = text.transform((value, context): Registration => {
  if (value === 'open' || value === 'closed') return value;
  const domains = value.split(',').map((part) => mailDomain(part.trim()));
  const found = domains.filter((domain) => domain !== null);
  if (found.length < domains.length) {
    context.addIssue(
      'must be open, closed, or a comma-separated list of email domains such as example.com',
    );
  }
  return Object.freeze(found);
});

const MAX_MAIL_ADDRESS_LENGTH = 254;
const LOCAL_PART = /^[^\s@<>()[\]\\,:;".]+(?:\.[^\s@<>()[\]\\,:;".]+)*$/;

export const adminEmails = text.transform((value, context): readonly string[] => {
  const all = value.split(',').map((part) => part.trim());
  if (!all.every(isMailAddress)) {
    context.addIssue('must be a comma-separated list of email addresses, such as ada@example.com');
  }
  return Object.freeze(all);
});

function isMailAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  const domain = text.slice(at + 1);
  const isDomain = domain.toLowerCase() === 'localhost' || mailDomain(domain) !== null;
  return text.length <= MAX_MAIL_ADDRESS_LENGTH && LOCAL_PART.test(text.slice(0, at)) && isDomain;
}

/** Returns the domain in ASCII form, as in stored accounts. */
function mailDomain(text: string): string | null {
  const domain = /[\s/:@?#\\]/.test(text) ? '' : domainToASCII(text);
  return /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(domain) ? domain : null;
}
