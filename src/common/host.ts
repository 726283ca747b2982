import type { IncomingMessage } from 'node:http';

/**
 * `uri-host [":" port]` of RFC 9112 3.2, without the comma, which proxies put between two hosts of
 * a request that they have joined.
 */
const HOST_FORM =
  /^(?:\[[0-9A-Fa-f:.]+\]|\[v[0-9A-Fa-f]+\.[\w.~!$&'()*+;=:-]+\]|(?:[\w.~!$&'()*+;=-]|%[0-9A-Fa-f]{2})+)(?::(\d*))?$/;
const MAX_PORT = 65_535;
/** Characters of a host name (RFC 1035 2.3.4). */
export const MAX_HOST_NAME = 253;
/** A target in absolute form (RFC 9112 3.2.2): authority, path and query. */
const ABSOLUTE_FORM = /^[A-Za-z][A-Za-z\d+.-]*:\/\/([^/?#]*)([^#]*)/;
const SLASH = 47;

/** Almost all requests say the same one. */
let lastHost = '';

/** Whether this is the value of a Host line that names a host. */
export function isHost(text: string): boolean {
  if (text === lastHost) return text !== '';
  const [matched, port = ''] = HOST_FORM.exec(text) ?? [];
  if (matched === undefined || Number(port) > MAX_PORT) return false;
  lastHost = text;
  return true;
}

/**
 * The name in the value of a Host line: without its port and one dot at its end, in lower case
 * (docs/contract.md#25.4).
 */
export function hostName(host: string): string {
  const name = host.replace(/:\d*$/, '').toLowerCase();
  return name.endsWith('.') ? name.slice(0, -1) : name;
}

type HeadOfRequest = Pick<IncomingMessage, 'headers' | 'httpVersion' | 'rawHeaders' | 'url'>;

/**
 * Whether a request has one Host line that is valid or empty; HTTP/1.0 asks for none. A target in
 * absolute form counts more than that line: it becomes a path, and its authority the Host header, so
 * that there is one place for everybody to look at (docs/contract.md#25.4).
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
  // Node keeps the first of several lines.
  let lines = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') lines++;
  }
  return lines === 1 && (host === '' || isHost(host));
}
