import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { isEmail, registerDecorator, type ValidationArguments } from 'class-validator';
import { asciiDomain } from '../../common/host';

export const MAX_EMAIL_LENGTH = 254;

/** Allows all non-ASCII characters, because `asciiDomain` checks those. */
const DOMAIN_CHARACTERS = /^[a-zA-Z0-9.\-\u0080-\u{10ffff}]+$/u;

/**
 * Returns an email's stored form (docs/contract.md#12.2); null for text that is not an address.
 * `localhost` is the only accepted domain without a dot.
 *
 * Two strings have the same form only if they reach the same mailbox. In the local part, NFC and
 * lowercasing A to Z are therefore the only changes: `toLowerCase` would map the Kelvin sign to k,
 * which is another person's address.
 */
export function readEmail(text: string): string | null {
  const trimmed = text.trim();
  // domainToASCII throws for an unpaired surrogate.
  if (trimmed.length > MAX_EMAIL_LENGTH || !trimmed.isWellFormed()) return null;
  const at = trimmed.lastIndexOf('@');
  const domain = emailDomain(trimmed.slice(at + 1));
  if (at < 1 || domain === null || becomesAscii(trimmed)) return null;
  const local = trimmed.slice(0, at).normalize('NFC').replace(/[A-Z]/g, toLowerLetter);
  const email = `${local}@${domain}`;
  return email.length <= MAX_EMAIL_LENGTH && isWellFormed(email) ? email : null;
}

/**
 * Returns the stored form of a new account's email. Null for quoted local parts (RFC 5321 4.1.2)
 * and characters that RFC 8265 removes or replaces, since one mailbox could otherwise have several
 * accounts. Existing accounts keep such addresses.
 */
export function readNewEmail(text: string): string | null {
  const email = readEmail(text);
  if (email === null) return null;
  const local = email.slice(0, email.lastIndexOf('@'));
  return local.includes('"') || local !== local.normalize('NFKC') || UNSEEN_CHARACTER.test(local)
    ? null
    : email;
}

const UNSEEN_CHARACTER = /[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}]/u;

/** Null if the domain has no `xn--…` form. */
function emailDomain(domain: string): string | null {
  // The conversion parses the text like a URL and would ignore a path or a port.
  return DOMAIN_CHARACTERS.test(domain) ? asciiDomain(domain) || null : null;
}

/** Whether NFC converts a non-ASCII character, such as the Kelvin sign, to an ASCII character. */
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

/** @param read returns the stored form; `readNewEmail` for new accounts */
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
