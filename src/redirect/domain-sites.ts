import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { markRequestedDomain } from '../common/requested-domain';
import { MethodNotAllowedError, NotFoundError, StartingError } from '../common/errors';
import type { RefusalResponder, RequestHandler } from '../common/request-handler';
import { isFixedSegment } from '../common/routes';
import { HttpOptions } from '../config/options';
import { isHttps } from '../config/url';
import { RequestedHosts } from '../stores/domains/domain-registry';
import type { KnownDomain } from '../stores/domains/domain';
import { RedirectWriter } from './redirect-writer';

const READ = ['GET', 'HEAD'];
const HEALTH = /^\/health(?:[/?]|$)/;
/** Static files that pages on custom domains need, without the app's files. */
const FILE = /^\/(?:static\/[a-z\d-]+\.[a-z]+|favicon\.ico)$/;
const CODE = /^\/([^/]+?)(\+|\/password|\/qr\.(?:svg|png))?\/?$/;
/** First path segments that are never short codes. */
const RESERVED_SEGMENTS = new Set(['static', 'favicon.ico', 'robots.txt', '.well-known']);
const FILE_MAX_AGE_S = 3600;

interface ServedText {
  readonly contentType: string;
  readonly text: string;
}

/**
 * Handles requests for custom domains (docs/contract.md#25.3) ahead of all routes. Rejects paths
 * that domains do not serve, and adds the domain to all other requests. For the host of BASE_URL,
 * this is a single comparison.
 */
@Injectable()
export class DomainSites {
  private readonly answer: RedirectWriter;

  constructor(
    private readonly hosts: RequestedHosts,
    http: HttpOptions,
  ) {
    this.answer = new RedirectWriter(isHttps(http.baseUrl));
  }

  handle(next: RequestHandler, refuse: RefusalResponder, prepare: RequestHandler): RequestHandler {
    return (request, response) => {
      const host = this.hosts.find(request.headers.host);
      if (host === null) next(request, response);
      else if (typeof host === 'object')
        this.serve(host, request, response, { next, refuse, prepare });
      else if (host !== 'closed' && HEALTH.test(request.url ?? '/')) next(request, response);
      else if (host === 'loading') refuse(request, response, new StartingError());
      else {
        // Excludes NOT_FOUND_REDIRECT. Links on the page lead to BASE_URL.
        markRequestedDomain(request, { id: '', notFoundRedirect: null });
        refuse(request, response, new NotFoundError());
      }
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
    markRequestedDomain(request, path === '/' ? { ...domain, notFoundRedirect: null } : domain);
    // Custom domains have no sessions.
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

/** Escapes codes that equal another route, so that only the routes for codes match them. */
function withoutRoutes(url: string): string {
  const [, segment = ''] = /^\/([^/?]*)/.exec(url) ?? [];
  const name = segment.toLowerCase();
  if (!isFixedSegment(name) || RESERVED_SEGMENTS.has(name)) return url;
  return `/%${segment.charCodeAt(0).toString(16)}${url.slice(2)}`;
}
