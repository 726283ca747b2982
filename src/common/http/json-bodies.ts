import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { UnprocessableError } from '../errors';
import { declaredCharset, notUtf8, decodeUtf8 } from './encoded-text';

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
