import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  CallHandler,
  ExecutionContext,
  Injectable,
  NestInterceptor,
  SetMetadata,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { json, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import type { Observable } from 'rxjs';

/** docs/contract.md#1: the body limit. */
export const BODY_LIMIT = 1_048_576;

const faults = new WeakMap<Request, unknown>();

/**
 * Runs a body parser so that its error waits: limit and credential are checked first (docs/contract.md#2),
 * then `BodyFaultInterceptor` throws it.
 */
export function deferFaults(parse: RequestHandler): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    if (Number(request.headers['content-length'] ?? 0) > BODY_LIMIT) {
      faults.set(request, Object.assign(new Error(), { status: 413, type: 'entity.too.large' }));
      next();
      return;
    }
    parse(request, response, (error?: unknown) => {
      if (error !== undefined && error !== null) faults.set(request, error);
      next();
    });
  };
}

const IGNORES_BODY = 'curtail:ignores-body';

/** For routes that succeed whatever was sent: a body that cannot be read does not matter. */
export const IgnoresBody = () => SetMetadata(IGNORES_BODY, true);

/** Throws what a body parser put off, after the guards and before the pipes. */
@Injectable()
export class BodyFaultInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const ignored = this.reflector.get<true | undefined>(IGNORES_BODY, context.getHandler());
    const fault = ignored ? undefined : faults.get(context.switchToHttp().getRequest<Request>());
    if (fault !== undefined) throw fault as Error;
    return next.handle();
  }
}

/**
 * Reads JSON bodies of any JSON value (the pipe asks for an object). Form bodies belong to the
 * modules that take them: v0 and the password form.
 */
export function jsonBodies(): RequestHandler {
  return deferFaults(
    json({
      limit: BODY_LIMIT,
      strict: false,
      type: ['application/json', '*/*+json'],
      verify: refuseOversizedJson,
    }),
  );
}

interface JsonBounds {
  /** Levels of lists and objects in each other; what the API takes has two. */
  readonly depth: number;
  /** Members of objects and elements of lists, all together; what the API takes has some ten. */
  readonly values: number;
}

const BOUNDS: JsonBounds = { depth: 32, values: 1000 };
const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] =
  Buffer.from('"\\,[]{}');

/** Types of the errors that `refuseOversizedJson` throws, as body parsers name theirs. */
export const TOO_DEEP = 'entity.nested.too.deep';
export const TOO_MANY_VALUES = 'entity.values.too.many';
export const OTHER_CHARSET = 'charset.unsupported';

/**
 * Refuses a JSON text that holds more than anything asked for, before it is parsed. What copies
 * and validates a value recurses, so that some kilobytes of brackets would exhaust the stack, and
 * its time grows with the square of the number of keys.
 */
export function refuseOversizedJson(
  _: IncomingMessage,
  __: ServerResponse,
  text: Buffer,
  charset: string,
): void {
  // JSON is UTF-8 (RFC 8259); in another form, brackets and quotes would not be where they seem.
  const type = charset === 'utf-8' ? beyondBounds(text) : OTHER_CHARSET;
  if (type !== null) throw Object.assign(new Error('The JSON is refused'), { type, status: 422 });
}

/** Which bound a JSON text exceeds, null when none; what stands in its strings does not count. */
export function beyondBounds(
  text: Buffer,
  bounds = BOUNDS,
): typeof TOO_DEEP | typeof TOO_MANY_VALUES | null {
  let depth = 0;
  // Every value but the first of a list or an object has a comma before it.
  let commas = 0;
  for (let i = 0; i < text.length; i++) {
    const byte = text[i];
    if (byte === QUOTE) {
      i = endOfString(text, i);
    } else if (byte === COMMA) {
      if (++commas >= bounds.values) return TOO_MANY_VALUES;
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (++depth > bounds.depth) return TOO_DEEP;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      depth--;
    }
  }
  return null;
}

/** Where the string ends that begins at `start`: its closing quote, or the end of the text. */
function endOfString(text: Buffer, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text[before] === BACKSLASH) before--;
    // A quote behind an odd number of backslashes is an escaped one.
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}
