import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { UnprocessableError } from '../errors';
import { declaredCharset, notUtf8, decodeUtf8 } from './encoded-text';

interface JsonBounds {
  /** Levels of lists and objects in each other; what the API takes has two. */
  readonly depth: number;
  /** Members of objects and elements of lists, all together; what the API takes has some ten. */
  readonly values: number;
}

const BODY_BOUNDS: JsonBounds = { depth: 32, values: 1000 };
/** For routes that take many things at once. */
export const MANY_VALUES = 10_000;
const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] =
  Buffer.from('"\\,[]{}');

/** Why a JSON text is refused before it is parsed. */
export const TOO_DEEP = 'the body nests too deeply';
export const TOO_MANY_VALUES = 'the body has too many values';

/**
 * Any JSON value; an empty body is an object without members.
 *
 * A text that holds more than anything asked for is refused before it is parsed. Copying and
 * validating a value recurses, so that some kilobytes of brackets would exhaust the stack, and its
 * time grows with the square of the number of keys.
 *
 * @param values how many it may have
 * @throws UnprocessableError
 */
export function parseJson(
  bytes: Buffer,
  request: IncomingMessage,
  values = BODY_BOUNDS.values,
): unknown {
  // JSON is UTF-8 (RFC 8259); in another form, brackets and quotes would not be where they seem.
  if (declaredCharset(request) !== 'utf-8') throw notUtf8();
  const problem = beyondBounds(bytes, { ...BODY_BOUNDS, values });
  if (problem !== null) throw UnprocessableError.forField('input', problem);
  const text = decodeUtf8(bytes);
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw UnprocessableError.forField('input', 'the body is not valid JSON');
  }
}

/**
 * The value of a JSON text from elsewhere, within the same bounds, or why it has none.
 *
 * @param bounds those of one item where absent
 */
export function boundedJson(
  bytes: Buffer,
  { depth = BODY_BOUNDS.depth, values = MANY_VALUES }: Partial<JsonBounds> = {},
): { readonly value: unknown } | { readonly problem: string } {
  const beyond = beyondBounds(bytes, { depth, values });
  if (beyond === TOO_DEEP) return { problem: `JSON of more than ${depth} levels` };
  if (beyond !== null) return { problem: `JSON of more than ${values} values` };
  if (!isUtf8(bytes)) return { problem: 'JSON that is not UTF-8' };
  try {
    return { value: JSON.parse(decodeUtf8(bytes)) };
  } catch {
    return { problem: 'broken JSON' };
  }
}

/** Which bound a JSON text exceeds, null when none; what stands in its strings does not count. */
export function beyondBounds(
  text: Buffer,
  bounds = BODY_BOUNDS,
): typeof TOO_DEEP | typeof TOO_MANY_VALUES | null {
  let depth = 0;
  // Every value but the first of a list or an object has a comma before it.
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

/** Where the string ends that begins at `start`: its closing quote, or the end of the text. */
function endOfString(text: Buffer, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text[before] === BACKSLASH) before--;
    // A quote behind an odd number of backslashes is an escaped one.
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}
