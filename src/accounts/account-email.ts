import { domainToASCII } from 'node:url';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { isEmail, registerDecorator, type ValidationArguments } from 'class-validator';

export const MAX_EMAIL_LENGTH = 254;

/** Letters beyond ASCII are judged by domainToASCII; of ASCII, only what a host name is made of. */
const DOMAIN_CHARACTERS = /^[a-zA-Z0-9.\-\u0080-\u{10ffff}]+$/u;

/**
 * The form in which emails are stored and compared (docs/contract.md#12.2), null for what is no address.
 * Special-use domains pass, `localhost` as the only one without a dot.
 *
 * Two texts get one form only where they lead to one mailbox: the local part in NFC with A to Z
 * lower-cased, the domain as the DNS knows it. `toLowerCase` would do more, such as making a plain
 * k of the Kelvin sign, and so give a person the account of somebody else.
 */
export function readEmail(text: string): string | null {
  const trimmed = text.trim();
  // The library throws at half a character.
  if (trimmed.length > MAX_EMAIL_LENGTH || !trimmed.isWellFormed()) return null;
  const at = trimmed.lastIndexOf('@');
  const domain = asciiDomain(trimmed.slice(at + 1));
  if (at < 1 || domain === null || becomesAscii(trimmed)) return null;
  const local = trimmed.slice(0, at).normalize('NFC').replace(/[A-Z]/g, toLowerLetter);
  const email = `${local}@${domain}`;
  return email.length <= MAX_EMAIL_LENGTH && isWellFormed(email) ? email : null;
}

/**
 * The form of an address that a new account may have; null where mail servers know its mailbox by
 * plainer spellings too, each of which would be an account, and a flood of mails, of its own: quoted
 * local parts (RFC 5321 4.1.2) and characters that preparation removes or replaces (RFC 8265).
 * Accounts that were made with such an address keep it.
 */
export function readNewEmail(text: string): string | null {
  const email = readEmail(text);
  if (email === null) return null;
  const local = email.slice(0, email.lastIndexOf('@'));
  return local.includes('"') || local !== local.normalize('NFKC') || UNSEEN_CHARACTER.test(local)
    ? null
    : email;
}

/** Spaces, controls and characters that are not shown. */
const UNSEEN_CHARACTER = /[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}]/u;

/** `xn--…` of a domain in whatever script; null where there is none. */
function asciiDomain(domain: string): string | null {
  // It reads its input as the start of a URL and would pass over a path or a port.
  return DOMAIN_CHARACTERS.test(domain) ? domainToASCII(domain) || null : null;
}

/** True when a character outside ASCII (a Kelvin sign) has a twin inside it that NFC makes of it. */
function becomesAscii(text: string): boolean {
  return (text.match(/[^\0-\x7f]/gu) ?? []).some(hasAsciiTwin);
}

function hasAsciiTwin(character: string): boolean {
  return /[\0-\x7f]/.test(character.normalize('NFC'));
}

function isWellFormed(email: string): boolean {
  return isEmail(email) || (email.endsWith('@localhost') && isEmail(email, { require_tld: false }));
}

function toLowerLetter(letter: string): string {
  return letter.toLowerCase();
}

/**
 * An email field of a body: described, brought into its form, 422 where it has none.
 *
 * @param read the form, `readNewEmail` where an account is made
 */
export function EmailField(read = readEmail): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ format: 'email', maxLength: MAX_EMAIL_LENGTH, example: 'ada@example.com' }),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? (read(value) ?? value) : value,
    ),
    (target: object, property?: string | symbol) => {
      registerDecorator({
        name: 'isAccountEmail',
        target: target.constructor,
        propertyName: String(property),
        validator: {
          validate: (value: unknown) => typeof value === 'string' && read(value) === value,
          defaultMessage: ({ property: name }: ValidationArguments) =>
            `${name} must be an email address of at most ${MAX_EMAIL_LENGTH} characters`,
        },
      });
    },
  );
}
