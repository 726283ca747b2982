import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { refuseBrokenQuery } from '../../common/http/encoded-text';

/** Returns a text field in a v0 request; null if absent or empty. */
export type LegacyInput = (field: string) => string | null;

export interface LegacyRequest {
  readonly input: LegacyInput;
  /** Whether to respond with JSON instead of a page or redirect. */
  readonly wantsJson: boolean;
}

export const CurrentLegacyRequest = createParamDecorator((_: unknown, context: ExecutionContext) =>
  readLegacyRequest(context.switchToHttp().getRequest()),
);

export function readLegacyRequest(request: IncomingMessage): LegacyRequest {
  refuseBrokenQuery(request.url);
  return { input: legacyInput(request), wantsJson: wantsLegacyJson(request) };
}

/**
 * Shortening depends on `Accept`. Statistics: JSON for POST unless the client wants a page, pages
 * for GET. Export errors: JSON for POST, pages for GET (docs/contract.md#13).
 */
export function wantsLegacyJson(request: IncomingMessage & { originalUrl?: string }): boolean {
  const accept = request.headers.accept ?? '';
  const path = request.originalUrl ?? request.url ?? '';
  const segment = /^\/(stats|export)(?:[/?]|$)/.exec(path)?.[1];
  if (segment === undefined) return accept.includes('application/json');
  if (request.method !== 'POST') return false;
  return segment === 'export' || !accept.includes('text/html');
}

const FORM_TYPE = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i;

/** Form fields take precedence over the query string (docs/contract.md#13). */
export function legacyInput(request: IncomingMessage): LegacyInput {
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
