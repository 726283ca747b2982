import type { IncomingMessage } from 'node:http';
import { ExecutionContext, SetMetadata, type Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import type { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { CurtailError } from '../errors';
import { MANY_VALUES, parseJson } from './json-bodies';
import { parseMultipart, parseUrlEncoded } from './form-bodies';

/** docs/contract.md#1: the body limit. */
const BODY_LIMIT = 1_048_576;

/** Largest body that is read ahead; such ones have a share of their own of the bodies under way. */
export const SMALL_BODY = 16 * 1024;

/** 413. */
export class BodyTooLargeError extends CurtailError {
  constructor(limit: number) {
    super(413, 'payload_too_large', `The body may have at most ${limit} bytes`);
  }
}

/** 415: bodies come as they are, since a few compressed bytes can stand for megabytes. */
export class CodedBodyError extends CurtailError {
  constructor() {
    super(
      415,
      'validation_error',
      'The body must not be compressed: Content-Encoding is identity',
      {
        headers: { 'Accept-Encoding': 'identity' },
      },
    );
  }
}

/** How bodies of some types are read. */
export interface BodyRule {
  readonly types: string[];
  readonly limit: number;
  readonly parse: (bytes: Buffer, request: Request) => unknown;
}

/** Any JSON value; the pipe asks for an object. */
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

/** For routes that take url-encoded and multipart forms; on a controller, for those with `@Body`. */
export const TakesForms = () => SetMetadata(FORM_TYPES, true);

/** For a route whose body holds many things, in up to MANY_VALUES values of JSON. */
export const TakesLargeJson = () => SetMetadata(LARGE_JSON, true);

/** For a route whose body is a file: `@Body` is its bytes. */
export const TakesBytes = (type: string, limit: number) =>
  SetMetadata(BYTES, { types: [type], limit, parse: (bytes) => bytes } satisfies BodyRule);

/** The parameters of a route's handler that Nest takes from such a part of the request. */
export function hasParameter(context: ExecutionContext, part: RouteParamtypes): boolean {
  const name = context.getHandler().name;
  const known: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), name);
  return Object.keys(known ?? {}).some((key) => key.startsWith(`${part}:`));
}

/** The class of a handler's `@Body()`. */
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

/** The bodies that a route takes; none for one whose handler asks for no body, or that is read. */
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
  const forms = reflector.getAllAndOverride<true | undefined>(FORM_TYPES, targets) ?? false;
  const isLarge = reflector.get<true | undefined>(LARGE_JSON, handler) ?? false;
  const json = isLarge ? LARGE_JSON_BODY : JSON_BODY;
  return [...(hasBody ? [json] : []), ...(forms ? [URL_ENCODED, MULTIPART] : [])];
}

/** The rule by which the body of a request is read, by its type. */
export function ruleFor(request: Request, rules: readonly BodyRule[]): BodyRule | undefined {
  return rules.find(({ types }) => request.is(types));
}

/** Whether headers speak of a body, perhaps of one without bytes. */
function mayHaveBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
}

/** Null for a body that comes in chunks. */
export function declaredLength({ headers }: IncomingMessage): number | null {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : null;
}

/** Whether the client waits to be told that its body is wanted. */
export function expectsContinue({ headers }: IncomingMessage): boolean {
  return /^100-continue$/i.test(headers.expect ?? '');
}

/** @throws CodedBodyError */
export function refuseCoding(request: IncomingMessage): void {
  if (isCoded(request)) throw new CodedBodyError();
}

function isCoded({ headers }: IncomingMessage): boolean {
  const codings = (headers['content-encoding'] ?? '').toLowerCase().split(',');
  return codings.some((coding) => !['', 'identity'].includes(coding.trim()));
}

/** Whether the body is a form that may be read ahead. */
export function isSmallForm(request: Request): boolean {
  const length = declaredLength(request) ?? Infinity;
  const isWaiting = isCoded(request) || expectsContinue(request);
  return length <= SMALL_BODY && !isWaiting && Boolean(request.is(URL_ENCODED.types));
}

const readAhead = new WeakMap<Request, Buffer>();

/** Keeps a form that was read ahead, for who shows it again. */
export function keepForm(request: Request, bytes: Buffer): void {
  readAhead.set(request, bytes);
}

/**
 * Sets `request.body` of a form that was refused before anybody took it, where it was read ahead and
 * can be read: to show it again, with what was typed in.
 */
export function recallForm(request: Request): void {
  const bytes = readAhead.get(request);
  if (bytes === undefined || request.body !== undefined) return;
  try {
    request.body = parseUrlEncoded(bytes, request);
  } catch {
    // It comes back empty.
  }
}
