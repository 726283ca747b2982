import { boundedJson } from '../../common/http/json-bodies';

/** Bounds of answers of services, which hold a page of links or visits. */
const ANSWER_BOUNDS = { depth: 50, values: 250_000 };

/** The value of a JSON text; undefined for what is none, or beyond the bounds. */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  const read = boundedJson(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    ANSWER_BOUNDS,
  );
  return 'value' in read ? read.value : undefined;
}

/** An object, of which nothing is known yet. */
export type JsonFields = Readonly<Record<string, unknown>>;

/** Null for what is no object. */
export function toFields(value: unknown): JsonFields | null {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonFields) : null;
}

/** Texts, numbers and booleans as a text; empty for whatever else. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** A whole number that is not negative; null for whatever else. */
export function toNumber(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}
