import type { IncomingMessage } from 'node:http';
import { ExecutionContext, SetMetadata, type Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import type { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { CodedBodyError } from '../errors';
import { MANY_VALUES, parseJson } from './json-bodies';
import { parseMultipart, parseUrlEncoded } from './form-bodies';

/** Body limit from docs/contract.md#1. */
const BODY_LIMIT = 1_048_576;

/** Maximum size of small bodies, which have a separate concurrency limit. */
export const SMALL_BODY = 16 * 1024;

export interface BodyRule {
  readonly types: string[];
  readonly limit: number;
  readonly parse: (bytes: Buffer, request: Request) => unknown;
}

/** Accepts any JSON value; the validation pipe requires an object. */
const JSON_BODY: BodyRule = {
  types: ['application/json', '*/*+json'],
  limit: BODY_LIMIT,
  parse: (bytes, request) => parseJson(bytes, request),
};
const LARGE_JSON_BODY: BodyRule = {
  ...JSON_BODY,
  parse: (bytes, request) => parseJson(bytes, request, MANY_VALUES),
};
const URL_ENCODED: BodyRule = {
  types: ['application/x-www-form-urlencoded'],
  limit: BODY_LIMIT,
  parse: parseUrlEncoded,
};
const MULTIPART: BodyRule = {
  types: ['multipart/form-data'],
  limit: BODY_LIMIT,
  parse: parseMultipart,
};

const FORM_TYPES = 'curtail:takes-forms';
const BYTES = 'curtail:takes-bytes';
const LARGE_JSON = 'curtail:takes-large-json';

/** Accepts URL-encoded and multipart forms. On a controller, applies to handlers with `@Body`. */
export const TakesForms = () => SetMetadata(FORM_TYPES, true);

/** Accepts forms of up to 16 KB, which are read before the credential that they may contain. */
export const TakesCredentialForm = () => SetMetadata(FORM_TYPES, 'first');

export function isReadFirst(reflector: Reflector, context: ExecutionContext): boolean {
  return reflector.get<unknown>(FORM_TYPES, context.getHandler()) === 'first';
}

/** Raises the limit to MANY_VALUES JSON values. */
export const TakesLargeJson = () => SetMetadata(LARGE_JSON, true);

/** Accepts a file; `@Body` contains the file's bytes. */
export const TakesBytes = (type: string, limit: number) =>
  SetMetadata(BYTES, { types: [type], limit, parse: (bytes) => bytes } satisfies BodyRule);

export function hasParameter(context: ExecutionContext, part: RouteParamtypes): boolean {
  const name = context.getHandler().name;
  const known: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), name);
  return Object.keys(known ?? {}).some((key) => key.startsWith(`${part}:`));
}

export function findBodyType(context: ExecutionContext): Type | undefined {
  const { name } = context.getHandler();
  const known = (Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), name) ??
    {}) as object;
  const body = Object.keys(known).find((key) => key.startsWith(`${RouteParamtypes.BODY}:`));
  if (body === undefined) return undefined;
  const prototype = context.getClass().prototype as object;
  const types = Reflect.getMetadata('design:paramtypes', prototype, name) as Type[];
  return types[Number(body.slice(body.indexOf(':') + 1))];
}

/** Returns no rules if the handler takes no body or the body has already been read. */
export function findBodyRules(
  reflector: Reflector,
  context: ExecutionContext,
): readonly BodyRule[] {
  const request = context.switchToHttp().getRequest<Request>();
  if (!mayHaveBody(request) || request.method === 'GET' || request.method === 'HEAD') return [];
  const handler = context.getHandler();
  const bytes = reflector.get<BodyRule | undefined>(BYTES, handler);
  if (bytes !== undefined) return [bytes];
  const hasBody = hasParameter(context, RouteParamtypes.BODY);
  const targets = hasBody ? [handler, context.getClass()] : [handler];
  const forms = reflector.getAllAndOverride<true | 'first' | undefined>(FORM_TYPES, targets);
  const isLarge = reflector.get<true | undefined>(LARGE_JSON, handler) ?? false;
  const json = isLarge ? LARGE_JSON_BODY : JSON_BODY;
  const formRules = [URL_ENCODED, MULTIPART].map((rule) =>
    forms === 'first' ? { ...rule, limit: SMALL_BODY } : rule,
  );
  return [...(hasBody ? [json] : []), ...(forms ? formRules : [])];
}

export function ruleFor(request: Request, rules: readonly BodyRule[]): BodyRule | undefined {
  return rules.find(({ types }) => request.is(types));
}

/** Whether the headers announce a body, which may be empty. */
function mayHaveBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
}

/** Null for a chunked body. */
export function declaredLength({ headers }: IncomingMessage): number | null {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : null;
}

export function expectsContinue({ headers }: IncomingMessage): boolean {
  return /^100-continue$/i.test(headers.expect ?? '');
}

export function refuseCoding(request: IncomingMessage): void {
  if (isCoded(request)) throw new CodedBodyError();
}

function isCoded({ headers }: IncomingMessage): boolean {
  const codings = (headers['content-encoding'] ?? '').toLowerCase().split(',');
  return codings.some((coding) => !['', 'identity'].includes(coding.trim()));
}

export function isSmallForm(request: Request): boolean {
  const length = declaredLength(request) ?? Infinity;
  const isWaiting = isCoded(request) || expectsContinue(request);
  return length <= SMALL_BODY && !isWaiting && Boolean(request.is(URL_ENCODED.types));
}

const readAhead = new WeakMap<Request, Buffer>();

/** Stores the bytes of a form, so that an error page can show the input again. */
export function keepForm(request: Request, bytes: Buffer): void {
  readAhead.set(request, bytes);
}

/** Restores a rejected form's `request.body`, so that a page can show the input again. */
export function recallForm(request: Request): void {
  const bytes = readAhead.get(request);
  if (bytes === undefined || request.body !== undefined) return;
  try {
    request.body = parseUrlEncoded(bytes, request);
  } catch {
    // The page then shows an empty form.
  }
}
