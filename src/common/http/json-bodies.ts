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
function decodeUtf8(bytes: Buffer): string {
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

interface JsonBounds {
  /** Maximum nesting depth. API bodies have two levels. */
  readonly depth: number;
  /** Maximum number of object members and list elements. API bodies have about ten. */
  readonly values: number;
}

export const BODY_BOUNDS: JsonBounds = { depth: 32, values: 1000 };
export const MANY_VALUES = 10_000;
const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] =
  Buffer.from('"\\,[]{}');

export const TOO_DEEP = 'the body is nested too deeply';
export const TOO_MANY_VALUES = 'the body has too many values';

export class BrokenJsonError extends UnprocessableError {
  constructor() {
    super([{ field: 'input', error: 'the body is not valid JSON' }]);
  }
}

/**
 * Checks the bounds first. Copying and validating are recursive, so a few kilobytes of brackets would exhaust the stack. An empty body becomes an empty object.
 * @throws UnprocessableError
 */
export function parseJson(
  bytes: Buffer,
  request: IncomingMessage,
  values = BODY_BOUNDS.values,
): unknown {
  // JSON is UTF-8 (RFC 8259). The scan would misread brackets and quotes in other encodings.
  if (declaredCharset(request) !== 'utf-8') throw notUtf8();
  const problem = beyondBounds(bytes, { ...BODY_BOUNDS, values });
  if (problem !== null) throw UnprocessableError.forField('input', problem);
  const text = decodeUtf8(bytes);
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new BrokenJsonError();
  }
}

/** Returns the reason if parsing fails. @param bounds by default those for a single item */
export function boundedJson(
  bytes: Buffer,
  { depth = BODY_BOUNDS.depth, values = MANY_VALUES }: Partial<JsonBounds> = {},
): { readonly value: unknown } | { readonly problem: string } {
  const beyond = beyondBounds(bytes, { depth, values });
  if (beyond === TOO_DEEP) return { problem: `JSON with more than ${depth} levels` };
  if (beyond !== null) return { problem: `JSON with more than ${values} values` };
  if (!isUtf8(bytes)) return { problem: 'JSON that is not UTF-8' };
  try {
    return { value: JSON.parse(decodeUtf8(bytes)) };
  } catch {
    return { problem: 'broken JSON' };
  }
}

/** Returns the exceeded bound, or null. Ignores string contents. */
export function beyondBounds(
  text: Buffer,
  bounds = BODY_BOUNDS,
): typeof TOO_DEEP | typeof TOO_MANY_VALUES | null {
  let depth = 0;
  // Each value except the first in a list or object follows a comma.
  let commas = 0;
  for (let i = 0; i < text.length; i++) {
    const byte = text[i];
    if (byte === QUOTE) {
      i = endOfString(text, i);
    } else if (byte === COMMA) {
      if (++commas >= bounds.values) return TOO_MANY_VALUES;
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (++depth > bounds.depth) return TOO_DEEP;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      depth--;
    }
  }
  return null;
}

/** Returns the index of the closing quote, or the end of the text. */
function endOfString(text: Buffer, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text[before] === BACKSLASH) before--;
    // A quote after an odd number of backslashes is escaped.
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}
