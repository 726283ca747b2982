import type { IncomingMessage } from 'node:http';
import { domainToASCII, domainToUnicode } from 'node:url';

/**
 * Host as defined in RFC 9112 3.2, but without commas, because proxies join two headers with a
 * comma.
 */
const HOST_FORM =
  /^(?:\[[0-9A-Fa-f:.]+\]|\[v[0-9A-Fa-f]+\.[\w.~!$&'()*+;=:-]+\]|(?:[\w.~!$&'()*+;=-]|%[0-9A-Fa-f]{2})+)(?::(\d*))?$/;
const MAX_PORT = 65_535;
/** Maximum characters of a host name (RFC 1035 2.3.4). */
export const MAX_HOST_NAME = 253;
/** Absolute-form target (RFC 9112 3.2.2): authority, path and query. */
const ABSOLUTE_FORM = /^[A-Za-z][A-Za-z\d+.-]*:\/\/([^/?#]*)([^#]*)/;
const SLASH = 47;

/** Caches the last value, because almost all requests have the same Host. */
let lastHost = '';

export function isHost(text: string): boolean {
  if (text === lastHost) return text !== '';
  const [matched, port = ''] = HOST_FORM.exec(text) ?? [];
  if (matched === undefined || Number(port) > MAX_PORT) return false;
  lastHost = text;
  return true;
}

/** Returns the name in lower case, without port and trailing dot (docs/contract.md#25.4). */
export function hostName(host: string): string {
  const name = host.replace(/:\d*$/, '').toLowerCase();
  return name.endsWith('.') ? name.slice(0, -1) : name;
}

/**
 * Returns a domain in A-labels and lower case; empty for invalid text. A-labels must encode
 * non-ASCII characters (RFC 5890 2.3.2.1), which Node.js 24 and later do not check.
 */
export function asciiDomain(domain: string): string {
  const name = domainToASCII(domain).toLowerCase();
  const isDecodable = name
    .split('.')
    .every((label) => !label.startsWith('xn--') || /\P{ASCII}/u.test(domainToUnicode(label)));
  return isDecodable ? name : '';
}

type HeadOfRequest = Pick<IncomingMessage, 'headers' | 'httpVersion' | 'rawHeaders' | 'url'>;

/**
 * Requires exactly one Host header, which is valid or empty, except in HTTP/1.0. The host in an
 * absolute-form target replaces the header (docs/contract.md#25.4).
 */
export function settleHost(request: HeadOfRequest): boolean {
  if (!hasValidHost(request)) return false;
  const { url = '/', headers } = request;
  if (url.charCodeAt(0) === SLASH || url === '*') return true;
  const [, authority = '', path = ''] = ABSOLUTE_FORM.exec(url) ?? [];
  if (!isHost(authority)) return false;
  headers.host = authority;
  request.url = path.startsWith('/') ? path : `/${path}`;
  return true;
}

function hasValidHost({ headers, rawHeaders, httpVersion }: HeadOfRequest): boolean {
  const { host } = headers;
  if (host === undefined) return httpVersion === '1.0';
  // Counts raw headers, because Node keeps only the first Host header.
  let lines = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') lines++;
  }
  return lines === 1 && (host === '' || isHost(host));
}
