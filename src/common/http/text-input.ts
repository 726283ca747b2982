import type { IncomingMessage } from 'node:http';

/** Returns a text field in a form or query; null if absent or empty. */
export type TextInput = (field: string) => string | null;

const FORM_TYPE = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i;

/** Form fields take precedence over the query string (docs/contract.md#13, docs/contract.md#35.2). */
export function textInput(request: IncomingMessage): TextInput {
  const { body, query } = request as { body?: unknown; query?: unknown };
  const form = FORM_TYPE.test(request.headers['content-type'] ?? '') ? body : null;
  return (field) => fieldText(form, field) ?? fieldText(query, field);
}

/** Returns the first value for a repeated field. */
function fieldText(fields: unknown, name: string): string | null {
  if (typeof fields !== 'object' || fields === null || !Object.hasOwn(fields, name)) return null;
  const value = (fields as Record<string, unknown>)[name];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' && first !== '' ? first : null;
}
