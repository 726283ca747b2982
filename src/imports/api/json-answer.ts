/** Answers of the services that we read are some levels deep. */
const MAX_DEPTH = 50;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** The value of a JSON text in UTF-8; undefined for what is none, or nested too deep to be walked through. */
export function jsonOf(bytes: Uint8Array): unknown {
  if (isTooDeep(bytes)) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}

function isTooDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (isText) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (OPENING.has(byte)) {
      depth++;
      if (depth > MAX_DEPTH) return true;
    } else if (CLOSING.has(byte)) depth--;
  }
  return false;
}

/** An object, of which nothing is known yet. */
export type JsonFields = Readonly<Record<string, unknown>>;

/** Null for what is no object. */
export function fieldsOf(value: unknown): JsonFields | null {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonFields) : null;
}

/** Texts, numbers and booleans as a text; empty for whatever else. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** A whole number that is not negative; null for whatever else. */
export function numberOf(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}
