import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { refuseBrokenQuery } from '../common/http/encoded-text';

/** The text fields of a v0 request by their wire names; absent and empty ones are null. */
export type LegacyInput = (field: string) => string | null;

/** A v0 request as its services see it. */
export interface LegacyRequest {
  readonly input: LegacyInput;
  /** Whether the answer is JSON, else a page or a redirect. */
  readonly wantsJson: boolean;
}

/** Hands the fields of a v0 request to its handler, and the form of the answer that it asks for. */
export const CurrentLegacyRequest = createParamDecorator(
  (_: unknown, context: ExecutionContext): LegacyRequest => {
    const request = context.switchToHttp().getRequest<IncomingMessage>();
    refuseBrokenQuery(request.url);
    return { input: legacyInput(request), wantsJson: wantsLegacyJson(request) };
  },
);

/**
 * Whether a v0 answer is JSON (docs/contract.md#13): shortening asks for it by `Accept`, POST statistics
 * are JSON unless a page is asked for, GET statistics are pages, exports fail as JSON on POST and
 * as pages on GET.
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

/** Reads fields from form and query string; the form wins (docs/contract.md#13). */
export function legacyInput(request: IncomingMessage): LegacyInput {
  const { body, query } = request as { body?: unknown; query?: unknown };
  const form = FORM_TYPE.test(request.headers['content-type'] ?? '') ? body : null;
  return (field) => fieldText(form, field) ?? fieldText(query, field);
}

/** The first value counts where a field is given several times. */
function fieldText(fields: unknown, name: string): string | null {
  if (typeof fields !== 'object' || fields === null || !Object.hasOwn(fields, name)) return null;
  const value = (fields as Record<string, unknown>)[name];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' && first !== '' ? first : null;
}
