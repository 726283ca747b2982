import type { IncomingMessage } from 'node:http';
import { ConfigurationError } from '../config/environment.schema';
import type { HttpOptions, SiteOptions } from '../config/options';
import { hostName } from './host';
import { isFixedSegment } from './routes';
import { site } from './site';

const WEB_PORTS: ReadonlySet<string> = new Set(['', '80', '443']);

/** @throws ConfigurationError if a redirect setting leads back to itself (docs/contract.md#34.2) */
export function checkOwnRedirects(
  { rootRedirect, notFoundRedirect }: Pick<SiteOptions, 'rootRedirect' | 'notFoundRedirect'>,
  { baseUrl }: Pick<HttpOptions, 'baseUrl'>,
): void {
  if (rootRedirect !== null && isLoop(rootRedirect, baseUrl)) {
    const allowed = 'would cause a redirect loop: on BASE_URL, use a page such as /login';
    throw new ConfigurationError('ROOT_REDIRECT', rootRedirect, allowed);
  }
  if (notFoundRedirect === null || new URL(notFoundRedirect).pathname === '/') return;
  if (!isLoop(notFoundRedirect, baseUrl)) return;
  const allowed = 'would cause a redirect loop: on BASE_URL, use / or a page such as /login';
  throw new ConfigurationError('NOT_FOUND_REDIRECT', notFoundRedirect, allowed);
}

function isLoop(target: string, baseUrl: string): boolean {
  const [to, own] = [new URL(target), new URL(baseUrl)];
  if (hostName(to.host) !== hostName(own.host) || !isSamePort(to.port, own.port)) return false;
  return !isFixedSegment(to.pathname.split('/')[1] ?? '');
}

/** A proxy usually serves http and https for the same name. */
function isSamePort(port: string, other: string): boolean {
  return port === other || (WEB_PORTS.has(port) && WEB_PORTS.has(other));
}

/** Null if the setting does not apply to the request: the home page is shown. */
export function rootLocation({ method, url = '/', headers }: IncomingMessage): string | null {
  const { rootRedirect } = site();
  if (rootRedirect === null || (method !== 'GET' && method !== 'HEAD')) return null;
  const [path, query = ''] = url.split('?', 2);
  if (path !== '/' || new URLSearchParams(query).has('form')) return null;
  return awayFrom(headers.host, rootRedirect);
}

/** Null if the setting does not apply to the path: the 404 page is shown. */
export function notFoundLocation({ headers }: IncomingMessage, url: string): string | null {
  const { notFoundRedirect } = site();
  const [, segment = ''] = /^\/([^/?]*)/.exec(url) ?? [];
  if (notFoundRedirect === null || isFixedSegment(segment.toLowerCase())) return null;
  return awayFrom(headers.host, notFoundRedirect);
}

/** Null if the target's host also leads to this service, which would be a loop. */
function awayFrom(host: string | undefined, location: string): string | null {
  const name = hostName(host ?? '');
  if (name === hostName(new URL(site().baseUrl).host)) return location;
  return name === hostName(new URL(location).host) ? null : location;
}
