import type { IncomingMessage, ServerResponse } from 'node:http';

/** Levels of lists and objects in each other; what the API takes has two. */
const DEEPEST = 32;
const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}');

/** Type of the error that `refuseDeepNesting` throws, as body parsers name theirs. */
export const TOO_DEEP = 'entity.nested.too.deep';

/**
 * Refuses a JSON text that nests deeper than anything asked for, before it is parsed: what copies
 * and validates a value recurses, and a body of some kilobytes would exhaust the stack.
 */
export function refuseDeepNesting(_: IncomingMessage, __: ServerResponse, json: Buffer): void {
  if (nestsDeeper(json, DEEPEST)) {
    throw Object.assign(new Error('Too deep'), { type: TOO_DEEP, status: 422 });
  }
}

/** Whether some value lies in more than `limit` lists and objects; brackets in texts are none. */
export function nestsDeeper(json: Buffer, limit: number): boolean {
  let depth = 0;
  let inText = false;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (inText) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) inText = false;
    } else if (byte === QUOTE) inText = true;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth++;
      if (depth > limit) return true;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
  }
  return false;
}
