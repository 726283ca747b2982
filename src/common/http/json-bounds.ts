import type { IncomingMessage, ServerResponse } from 'node:http';

export interface JsonBounds {
  /** Levels of lists and objects in each other; what the API takes has two. */
  readonly depth: number;
  /** Members of objects and elements of lists, all together; what the API takes has some ten. */
  readonly values: number;
}

const BOUNDS: JsonBounds = { depth: 32, values: 1000 };
const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] =
  Buffer.from('"\\,[]{}');

/** Types of the errors that `refuseOversizedJson` throws, as body parsers name theirs. */
export const TOO_DEEP = 'entity.nested.too.deep';
export const TOO_MANY_VALUES = 'entity.values.too.many';
export const OTHER_CHARSET = 'charset.unsupported';

/**
 * Refuses a JSON text that holds more than anything asked for, before it is parsed. What copies
 * and validates a value recurses, so that some kilobytes of brackets would exhaust the stack, and
 * its time grows with the square of the number of keys.
 */
export function refuseOversizedJson(
  _: IncomingMessage,
  __: ServerResponse,
  json: Buffer,
  charset: string,
): void {
  // JSON is UTF-8 (RFC 8259); in another form, brackets and quotes would not be where they seem.
  const type = charset === 'utf-8' ? beyondBounds(json) : OTHER_CHARSET;
  if (type !== null) throw Object.assign(new Error('The JSON is refused'), { type, status: 422 });
}

/** Which bound a JSON text exceeds, null when none; what stands in its strings does not count. */
export function beyondBounds(
  json: Buffer,
  bounds = BOUNDS,
): typeof TOO_DEEP | typeof TOO_MANY_VALUES | null {
  let depth = 0;
  // Every value but the first of a list or an object has a comma before it.
  let commas = 0;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (byte === QUOTE) {
      i = endOfString(json, i);
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
function endOfString(json: Buffer, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let before = end - 1;
    while (json[before] === BACKSLASH) before--;
    // A quote behind an odd number of backslashes is an escaped one.
    if ((end - before) % 2 === 1) return end;
  }
  return json.length;
}
