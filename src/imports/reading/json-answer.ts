import { boundedJson } from '../../common/http/json-bodies';

const ANSWER_BOUNDS = { depth: 50, values: 250_000 };

/** Undefined if the JSON is invalid or exceeds the limits. */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  const read = boundedJson(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    ANSWER_BOUNDS,
  );
  return 'value' in read ? read.value : undefined;
}

export type JsonFields = Readonly<Record<string, unknown>>;

/** Null if the value is not a JSON object. */
export function toFields(value: unknown): JsonFields | null {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonFields) : null;
}

/** Returns strings, numbers and booleans as text, and an empty string for other values. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** Null if the value is not a non-negative integer. */
export function toNumber(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}
