import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { refuseBrokenQuery } from '../../common/http/json-bodies';
import { type TextInput, textInput } from '../../common/http/text-input';

export interface LegacyRequest {
  readonly input: TextInput;
  /** Whether to respond with JSON instead of a page or redirect. */
  readonly wantsJson: boolean;
}

export const CurrentLegacyRequest = createParamDecorator((_: unknown, context: ExecutionContext) =>
  readLegacyRequest(context.switchToHttp().getRequest()),
);

export function readLegacyRequest(request: IncomingMessage): LegacyRequest {
  refuseBrokenQuery(request.url);
  return { input: textInput(request), wantsJson: wantsLegacyJson(request) };
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
