import { ArgumentsHost, Catch, ExceptionFilter, NotFoundException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CurtailError, MethodNotAllowedError, NotFoundError } from '../errors';
import { isFixedSegment, isHidden } from '../routes';
import { AppLog } from '../log';
import { errorForm, type ErrorForm, sendError, toCurtailError, wantsJson } from './error-response';
import { recallForm } from './taken-body';

interface Layer {
  match(path: string): boolean;
  route?: { path: string; methods: Record<string, boolean> };
}

/** Returns null if no route has this path with another method. */
function methodNotAllowed(request: Request): MethodNotAllowedError | null {
  const { stack } = request.app.router as unknown as { stack: Layer[] };
  const methods = new Set<string>();
  const own = request.method === 'HEAD' ? 'get' : request.method.toLowerCase();
  const fixed = isFixedSegment(request.path.split('/')[1] ?? '');
  for (const layer of stack) {
    if (layer.route === undefined || !matches(layer, request.path)) continue;
    // A handler of this route threw the error.
    if (layer.route.methods[own] === true) continue;
    // `/:code` does not match `/api`.
    if (fixed && layer.route.path.startsWith('/:')) continue;
    for (const method of Object.keys(layer.route.methods)) methods.add(method.toUpperCase());
  }
  methods.delete('_ALL');
  if (methods.size === 0) return null;
  if (methods.has('GET')) methods.add('HEAD');
  return new MethodNotAllowedError([...methods].sort().join(', '));
}

function matches(layer: Layer, path: string): boolean {
  try {
    return layer.match(path);
  } catch {
    return false; // The path is not percent-encoded UTF-8, so no route has it.
  }
}

/** Makes router errors below a hidden path look like an unknown path. */
function toResponseError(thrown: unknown, request: Request): CurtailError {
  const isRouters = thrown instanceof NotFoundException || thrown instanceof URIError;
  if (isRouters && isHidden(request.path)) return new NotFoundError();
  if (!(thrown instanceof NotFoundException)) return toCurtailError(thrown);
  // The error of a catch-all route has the reason in its cause.
  return methodNotAllowed(request) ?? toCurtailError(thrown.cause ?? thrown);
}

/** Logs unexpected errors once. Filters for other error formats only override `form`. */
@Catch()
export class AppExceptionFilter implements ExceptionFilter {
  constructor(private readonly log: AppLog) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const [request, response] = [http.getRequest<Request>(), http.getResponse<Response>()];
    const error = toResponseError(thrown, request);
    this.report(error, response);
    if (!wantsJson(request)) recallForm(request);
    sendError(request, response, error, this.form(request, error));
  }

  protected form(request: Request, error: CurtailError): ErrorForm {
    return errorForm(request, error);
  }

  private report(error: CurtailError, response: Response): void {
    const extra = { code: error.code, requestId: response.getHeader('X-Request-ID') };
    if (error.logLevel === 'error')
      this.log.error(error.message, { ...extra, err: error.cause ?? error });
    else this.log[error.logLevel](error.message, extra);
  }
}
