import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type {
  RefusalResponder,
  ReplyAtOnce,
  RequestHandler,
  RequestHead,
} from '../common/request-handler';
import { requestedDomain } from '../common/requested-domain';
import { isHttps } from '../config/url';
import { HttpOptions } from '../config/options';
import { RequestedHosts } from '../stores/domains/domain-registry';
import { toKey } from '../stores/links/alias-form';
import { LinkCache } from '../links/cache/link-cache';
import { UnknownLinkError } from '../stores/links/link.errors';
import type { RememberedLink } from '../stores/links/link';
import { hasDestinations } from '../destinations/destinations';
import { RedirectMeter } from '../infrastructure/meters/redirect-meter';
import { ClientAddress } from '../infrastructure/client-address/client-address';
import { REDIRECT_HEADERS, RedirectWriter } from './redirect-writer';
import { headerFlags, queryFlags } from './visit-flags';
import { readShortPath } from './short-path';
import { RedirectService, type SendRedirect } from './redirect.service';
import { nextStep, type Visit } from './visit-steps';

/** Excludes links with rules, which need headers that only the Node parser reads. */
function isAnsweredAtOnce(link: RememberedLink, visit: Visit): boolean {
  if (nextStep(link, visit) !== 'click') return false;
  return link.isPlain === true || !hasDestinations(link.destinations);
}

/**
 * Handles GET and HEAD on short paths ahead of Express. Passes all other requests, and links with
 * a password, to Nest. `replyAtOnce` answers most visits before Node creates a request. With
 * FAST_PATH=false, Nest handles all valid aliases. Invalid codes get their 404 here, because
 * Express answers codes that it cannot decode, such as `/%`, with 400 before any route runs.
 */
@Injectable()
export class RedirectHandler {
  private readonly answer: RedirectWriter;
  private readonly isAhead: boolean;

  constructor(
    private readonly cache: LinkCache,
    private readonly redirects: RedirectService,
    private readonly address: ClientAddress,
    private readonly meter: RedirectMeter,
    private readonly hosts: RequestedHosts,
    http: HttpOptions,
  ) {
    this.answer = new RedirectWriter(isHttps(http.baseUrl));
    this.isAhead = http.fastPath;
  }

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
        this.refuse(request, response, new UnknownLinkError('address'), refuse);
        return;
      }
      if (!this.isAhead) {
        next(request, response);
        return;
      }
      const { query } = path;
      const alias = toKey(requestedDomain(request)?.id ?? null, path.alias);
      const visit = this.toVisit(request, query);
      const send = this.sender(response, 302);
      const pass = (): void => next(request, response);
      const known = this.cache.get(alias);
      const done =
        known === undefined
          ? this.lookUp(alias, visit, send, pass)
          : this.decide(known, visit, send, pass);
      done?.catch((error: unknown) => this.refuse(request, response, error, refuse));
    };
  }

  /** Redirects a GET if the link is cached and does not require a lookup. */
  readonly replyAtOnce: ReplyAtOnce = (request, reply) => {
    const path = readShortPath(request.url ?? '/');
    if (path.kind !== 'alias') return false;
    const host = this.hosts.find(request.headers.host);
    if (typeof host === 'string') return false;
    const alias = host === null ? path.alias : toKey(host.id, path.alias);
    // Requests with prefetch headers do not reach the fast path.
    const visit = this.toVisit(request, path.query, queryFlags(path.query));
    const link = this.cache.get(alias, (known) => isAnsweredAtOnce(known, visit));
    if (link === undefined) return false;
    const send: SendRedirect = (location) => this.answer.reply(reply, location);
    void this.redirects.redirect(link, visit, send, 'click');
    return true;
  };

  toVisit(
    request: RequestHead,
    query: string,
    flags = queryFlags(query) | headerFlags(request.headers),
  ): Visit {
    const { headers } = request;
    return {
      at: Date.now(),
      begun: performance.now(),
      counted: request.method !== 'HEAD',
      address: this.address.visitorAddress(request),
      userAgent: headers['user-agent'],
      referer: headers.referer,
      language: headers['accept-language'],
      query,
      flags,
    };
  }

  /** @param status 302 for the redirect, 303 after a password form */
  sender(response: ServerResponse, status: 302 | 303): SendRedirect {
    return (location) => this.answer.send(response, status, location);
  }

  private async lookUp(
    alias: string,
    visit: Visit,
    send: SendRedirect,
    pass: () => void,
  ): Promise<void> {
    const link = await this.cache.find(alias);
    if (link === null) throw new UnknownLinkError('address');
    await this.decide(link, visit, send, pass);
  }

  /** Never throws. Synchronous errors become rejections. */
  private decide(
    link: RememberedLink,
    visit: Visit,
    send: SendRedirect,
    pass: () => void,
  ): void | Promise<void> {
    try {
      const next = nextStep(link, visit);
      if (next !== 'password') return this.redirects.redirect(link, visit, send, next);
      pass();
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
