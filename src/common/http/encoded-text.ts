import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { BadRequestError, UnprocessableError } from '../errors';

const [PERCENT, PLUS, SPACE] = Buffer.from('%+ ');
const BYTE_ORDER_MARK = '\ufeff';

/** 422: the body, or its percent-decoded form, is not valid UTF-8. */
export function notUtf8(): UnprocessableError {
  return UnprocessableError.forField('input', 'the body must be UTF-8');
}

/** Returns the charset in lower case; UTF-8 by default. */
export function declaredCharset({ headers }: IncomingMessage): string {
  const named = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers['content-type'] ?? '')?.[1];
  return named?.toLowerCase().replace(/^utf8$/, 'utf-8') ?? 'utf-8';
}

/** Rejects invalid bytes instead of replacing them with U+FFFD. @throws UnprocessableError */
export function decodeUtf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw notUtf8();
  const text = bytes.toString();
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/**
 * @param url as Node provides it, one character per byte
 * @throws BadRequestError if it does not decode to UTF-8
 */
export function refuseBrokenQuery(url = ''): void {
  const start = url.indexOf('?');
  if (start === -1 || isUtf8(percentDecoded(Buffer.from(url.slice(start), 'latin1')))) return;
  throw new BadRequestError('The query is not percent-encoded UTF-8');
}

/** Decodes `+` as a space, and `%` only before two hex digits. */
export function percentDecoded(encoded: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(encoded.length);
  let length = 0;
  for (let at = 0; at < encoded.length; at++) {
    let byte = encoded[at] ?? 0;
    if (byte === PLUS) byte = SPACE ?? 0;
    else if (byte === PERCENT) {
      const value = hexDigit(encoded[at + 1]) * 16 + hexDigit(encoded[at + 2]);
      if (!Number.isNaN(value)) {
        byte = value;
        at += 2;
      }
    }
    bytes[length++] = byte;
  }
  return bytes.subarray(0, length);
}

const HEX_DIGITS = new Map(
  Array.from('0123456789abcdefABCDEF', (digit) => [digit.charCodeAt(0), parseInt(digit, 16)]),
);

function hexDigit(byte: number | undefined): number {
  return HEX_DIGITS.get(byte ?? -1) ?? NaN;
}
