import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { LinkCache } from '../links/link-cache';
import type { Link } from '../links/link';
import { RedirectMeter } from '../infrastructure/meters/redirect-meter';
import { REDIRECT_HEADERS } from './redirect-response';
import { UnknownLinkError } from './redirect.errors';
import { readShortPath } from './short-path';
import type { RedirectRequest } from './redirect.service';
import { RedirectService } from './redirect.service';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;
/** Answers a refusal; the top joins it to the HTTP layer, which alone knows error bodies. */
export type RefusalResponder = (
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
) => void;

/**
 * Stands on the http server's `request` event, ahead of Express: GET and HEAD of a short path are
 * answered here, all else goes on to Nest, links with a password included.
 */
@Injectable()
export class RedirectHandler {
  constructor(
    private readonly directory: LinkCache,
    private readonly visits: RedirectService,
    private readonly meter: RedirectMeter,
  ) {}

  /** The listener that puts this front before `next`. */
  handle(next: RequestHandler, refuse: RefusalResponder): RequestHandler {
    return (request, response) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        next(request, response);
        return;
      }
      const path = readShortPath(request.url ?? '/');
      if (path.kind === 'other') {
        next(request, response);
        return;
      }
      if (path.kind === 'impossible') {
        this.refuse(request, response, new UnknownLinkError(), refuse);
        return;
      }
      const { alias, query } = path;
      const begun = performance.now();
      const visit: RedirectRequest = {
        request,
        response,
        at: Date.now(),
        begun,
        query,
        status: 302,
      };
      const known = this.directory.get(alias);
      const done =
        known === undefined ? this.lookUp(alias, visit, next) : this.decide(known, visit, next);
      done?.catch((error: unknown) => this.refuse(request, response, error, refuse));
    };
  }

  private async lookUp(alias: string, visit: RedirectRequest, next: RequestHandler): Promise<void> {
    const link = await this.directory.find(alias);
    if (link === null) throw new UnknownLinkError();
    await this.decide(link, visit, next);
  }

  /** Never throws: what admit throws at once becomes a rejection. */
  private decide(link: Link, visit: RedirectRequest, next: RequestHandler): void | Promise<void> {
    try {
      this.visits.refuseClosed(link, visit.at);
      if (link.passwordHash === null) return this.visits.redirect(link, visit);
      next(visit.request, visit.response);
    } catch (error) {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- passed on as it came
      return Promise.reject(error);
    }
  }

  private refuse(
    request: IncomingMessage,
    response: ServerResponse,
    error: unknown,
    answer: RefusalResponder,
  ): void {
    this.meter.refused(error);
    for (const [name, value] of REDIRECT_HEADERS) response.setHeader(name, value);
    answer(request, response, error);
  }
}
