import type { IncomingMessage } from 'node:http';

/** The text fields of a v0 request by their wire names; absent and empty ones are null. */
export type LegacyInput = (field: string) => string | null;

const FORM = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i;

/** Reads fields from form and query string; the form wins (contract 13). */
export function legacyInput(request: IncomingMessage): LegacyInput {
  const { body, query } = request as { body?: unknown; query?: unknown };
  const form = FORM.test(request.headers['content-type'] ?? '') ? body : null;
  return (field) => textOf(form, field) ?? textOf(query, field);
}

/** Of a field given several times the first counts. */
function textOf(fields: unknown, name: string): string | null {
  if (typeof fields !== 'object' || fields === null || !Object.hasOwn(fields, name)) return null;
  const value = (fields as Record<string, unknown>)[name];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' && first !== '' ? first : null;
}
