import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { markAsked } from '../common/asked-domain';
import { MethodNotAllowedError, NotFoundError, StartingError } from '../common/errors';
import type { RefusalResponder, RequestHandler } from '../common/request-handler';
import { isFixedSegment } from '../common/routes';
import { HttpOptions } from '../config/options';
import { isHttps } from '../config/url';
import { AskedHosts } from '../stores/domains/asked-host';
import type { KnownDomain } from '../stores/domains/domain';
import { RedirectResponse } from './redirect-response';

const READ = ['GET', 'HEAD'];
const HEALTH = /^\/health(?:[/?]|$)/;
/** Files of ours that pages show; those of the app are not among them. */
const FILE = /^\/(?:static\/[a-z\d-]+\.[a-z]+|favicon\.ico)$/;
/** A code and what there is below it. */
const CODE = /^\/([^/]+?)(\+|\/password|\/qr\.(?:svg|png))?\/?$/;
/** Segments that are no codes on any host. */
const RESERVED_SEGMENTS = new Set(['static', 'favicon.ico', 'robots.txt', '.well-known']);
const FILE_MAX_AGE_S = 3600;

/** A short text that a domain serves. */
interface ServedText {
  readonly contentType: string;
  readonly text: string;
}

/**
 * Custom domains (docs/contract.md#25.3), ahead of everything: whatever a domain does not serve ends
 * here, and whatever comes to `next` from one is marked as asked of it. Requests for BASE_URL's host
 * pass after one comparison.
 */
@Injectable()
export class DomainSites {
  private readonly answer: RedirectResponse;

  constructor(
    private readonly hosts: AskedHosts,
    http: HttpOptions,
  ) {
    this.answer = new RedirectResponse(isHttps(http.baseUrl));
  }

  /** @param prepare sets the headers that every answer has */
  handle(next: RequestHandler, refuse: RefusalResponder, prepare: RequestHandler): RequestHandler {
    return (request, response) => {
      const host = this.hosts.find(request.headers.host);
      if (host === null) next(request, response);
      else if (typeof host === 'object')
        this.serve(host, request, response, { next, refuse, prepare });
      else if (host !== 'closed' && HEALTH.test(request.url ?? '/')) next(request, response);
      else if (host === 'loading') refuse(request, response, new StartingError());
      else refuse(request, response, new NotFoundError());
    };
  }

  private serve(
    domain: KnownDomain,
    request: IncomingMessage,
    response: ServerResponse,
    to: { next: RequestHandler; refuse: RefusalResponder; prepare: RequestHandler },
  ): void {
    const { method = '', url = '/' } = request;
    const [path = '/'] = url.split('?');
    // The root has a rule of its own.
    markAsked(request, path === '/' ? { ...domain, notFoundRedirect: null } : domain);
    // Nobody is signed in on a custom domain.
    delete request.headers.cookie;
    delete request.headers.authorization;
    const methods = allowedMethods(path, domain);
    request.url = withoutRoutes(url);
    if (methods === null) {
      to.refuse(request, response, new NotFoundError());
    } else if (!methods.includes(method)) {
      to.refuse(request, response, new MethodNotAllowedError(methods.join(', ')));
    } else if (path === '/') {
      if (domain.rootRedirect === null) to.refuse(request, response, new NotFoundError());
      else this.answer.send(response, 302, new URL(domain.rootRedirect).href);
    } else {
      const served = servedText(path, domain);
      if (served === null) to.next(request, response);
      else sendText(request, response, served, to.prepare);
    }
  }
}

/** The methods that a path of a domain takes; null where the domain does not serve it. */
function allowedMethods(path: string, domain: KnownDomain): readonly string[] | null {
  if (path === '/' || path === '/robots.txt' || FILE.test(path)) return READ;
  if (path.startsWith('/.well-known/')) return servedText(path, domain) === null ? null : READ;
  const [, segment, below] = CODE.exec(path) ?? [];
  if (segment === undefined || RESERVED_SEGMENTS.has(segment.toLowerCase())) return null;
  return below === '/password' ? [...READ, 'POST'] : READ;
}

function servedText(path: string, { robots, appLinks }: KnownDomain): ServedText | null {
  const [text, contentType] =
    path === '/robots.txt'
      ? [robots, 'text/plain; charset=utf-8']
      : path === '/.well-known/apple-app-site-association'
        ? [appLinks?.apple ?? null, 'application/json']
        : path === '/.well-known/assetlinks.json'
          ? [appLinks?.android ?? null, 'application/json']
          : [null, ''];
  return text === null ? null : { contentType, text };
}

function sendText(
  request: IncomingMessage,
  response: ServerResponse,
  { contentType, text }: ServedText,
  prepare: RequestHandler,
): void {
  prepare(request, response);
  response.setHeader('Content-Type', contentType);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.setHeader('Cache-Control', `public, max-age=${FILE_MAX_AGE_S}`);
  response.end(request.method === 'HEAD' ? undefined : text);
}

/**
 * A target whose first segment is a code here and a route on BASE_URL's host: its first character is
 * escaped, so that no route but those of codes fits it, and nothing that looks at paths knows it.
 */
function withoutRoutes(url: string): string {
  const [, segment = ''] = /^\/([^/?]*)/.exec(url) ?? [];
  const name = segment.toLowerCase();
  if (!isFixedSegment(name) || RESERVED_SEGMENTS.has(name)) return url;
  return `/%${segment.charCodeAt(0).toString(16)}${url.slice(2)}`;
}
