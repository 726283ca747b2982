import { ArgumentsHost, Catch, ExceptionFilter, NotFoundException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CurtailError } from '../core/errors';
import { AppLog } from '../core/log';
import { sendError, toCurtailError } from './error-answer';
import { methodNotAllowed } from './method-not-allowed';

/** The one filter: turns whatever was thrown into an answer, and logs surprises once. */
@Catch()
export class AppExceptionFilter implements ExceptionFilter {
  constructor(private readonly log: AppLog) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const [request, response] = [http.getRequest<Request>(), http.getResponse<Response>()];
    const unmatched = thrown instanceof NotFoundException ? methodNotAllowed(request) : null;
    const error = unmatched ?? toCurtailError(thrown);
    this.report(error, response);
    sendError(request, response, error);
  }

  private report(error: CurtailError, response: Response): void {
    const extra = { code: error.code, requestId: response.getHeader('X-Request-ID') };
    if (error.logLevel === 'error')
      this.log.error(error.message, { ...extra, err: error.cause ?? error });
    else this.log[error.logLevel](error.message, extra);
  }
}
