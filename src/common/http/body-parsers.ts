import { json, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { refuseOversizedJson } from './json-bounds';

/** docs/contract.md#1: the body limit. */
export const BODY_LIMIT = 1_048_576;

const faults = new WeakMap<Request, unknown>();

/** What was wrong with the request's body, undefined when nothing was. */
export function bodyFault(request: Request): unknown {
  return faults.get(request);
}

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
