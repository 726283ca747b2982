import type { IncomingMessage } from 'node:http';

/**
 * Whether a v0 answer is JSON (docs/contract.md#13): shortening asks for it by `Accept`, POST statistics
 * are JSON unless a page is asked for, GET statistics are pages, exports fail as JSON on POST and
 * as pages on GET.
 */
export function wantsLegacyJson(request: IncomingMessage & { originalUrl?: string }): boolean {
  const accept = request.headers.accept ?? '';
  const room = /^\/(stats|export)(?:[/?]|$)/.exec(request.originalUrl ?? request.url ?? '')?.[1];
  if (room === undefined) return accept.includes('application/json');
  if (request.method !== 'POST') return false;
  return room === 'export' || !accept.includes('text/html');
}

/** The text fields of a v0 request by their wire names; absent and empty ones are null. */
export type LegacyInput = (field: string) => string | null;

const FORM = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i;

/** Reads fields from form and query string; the form wins (docs/contract.md#13). */
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
