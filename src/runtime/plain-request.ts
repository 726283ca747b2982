import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestHead } from '../common/request-handler';

/** Browsers send about 1 KB. */
const MOST_BYTES = 4096;
const G = 71;

/**
 * A GET over HTTP/1.1 to a path, whole and with nothing behind it, in the form that RFC 9112 asks of
 * senders: single spaces in the request line, CR LF after each line, no folded lines, ASCII alone
 * without control characters.
 */
const PLAIN =
  /^GET (\/[!-"$-~]*) HTTP\/1\.1\r\n(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t -~]*\r\n)+\r\n$/;

/** What a redirect is made of; more than one of a name is Node's to join or to choose from. */
const NEEDED = new Set(['host', 'referer', 'user-agent', 'x-forwarded-for']);
/** What speaks of a body or of the connection; `Connection: keep-alive` alone says nothing new. */
const NOT_PLAIN = new Set([
  'content-length',
  'expect',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** How the names above begin, and `connection`: of most headers no more is looked at. */
const INITIALS = new Set([...NEEDED, ...NOT_PLAIN, 'connection'].map((name) => name.charCodeAt(0)));
const LOWER_CASE = 0x20;

/**
 * The request that these bytes are, whole and alone, with the headers that a redirect is made of;
 * null for everything that had better be read by Node's parser. It is strict so that nobody reads
 * such bytes differently: no proxy ahead of us, and not Node, from which they are kept.
 */
export function readPlainRequest(bytes: Buffer, socket: Socket): RequestHead | null {
  if (bytes.length > MOST_BYTES || bytes[0] !== G) return null;
  const text = bytes.toString('latin1');
  const url = PLAIN.exec(text)?.[1];
  if (url === undefined) return null;
  const headers: IncomingHttpHeaders = {};
  const last = text.length - 2;
  let end = text.indexOf('\r\n');
  for (let at = end + 2; at < last; at = end + 2) {
    end = text.indexOf('\r\n', at);
    if (!INITIALS.has(text.charCodeAt(at) | LOWER_CASE)) continue;
    const colon = text.indexOf(':', at);
    const name = text.slice(at, colon).toLowerCase();
    if (NOT_PLAIN.has(name)) return null;
    if (name !== 'connection' && !NEEDED.has(name)) continue;
    const value = text.slice(colon + 1, end).trim();
    if (name !== 'connection') {
      if (headers[name] !== undefined) return null;
      headers[name] = value;
    } else if (value.toLowerCase() !== 'keep-alive') {
      return null;
    }
  }
  return headers.host === undefined ? null : { method: 'GET', url, headers, socket };
}
