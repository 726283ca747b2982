import type { Socket } from 'node:net';
import type { RequestHead } from '../../common/request-handler';
import { isHost } from '../../common/host';

/** The form that RFC 9112 requires of senders: single spaces, CR LF, no folding, ASCII. */
const PLAIN_REQUEST =
  /^GET (\/[!-"$-~]*) HTTP\/1\.1\r\n(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t -~]*\r\n)+\r\n$/;

/** Headers that are read; all others only need the form above. */
const HEADER_NAMES = [
  // Needed for a redirect and its click.
  ...['host', 'referer', 'user-agent', 'x-forwarded-for'],
  // About the body or the connection; only `Connection: keep-alive` is accepted.
  ...['connection', 'content-length', 'expect', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
  // Prefetches are never plain requests.
  ...['purpose', 'sec-purpose', 'x-moz', 'x-purpose'],
] as const;
type Name = (typeof HEADER_NAMES)[number];

const BY_NAME = new Map<string, Name>(
  HEADER_NAMES.flatMap((name) => [
    [name, name],
    [name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()), name],
  ]),
);
const INITIALS = new Set(HEADER_NAMES.map((name) => name.charCodeAt(0)));
const LOWER_CASE = 0x20;
const LETTER_P = 0x70;
const LETTER_S = 0x73;

/**
 * Parses one complete plain request (a character per byte); null if Node must parse it. Strict,
 * so that no proxy or Node could read the bytes differently. Repeated headers are left to Node.
 */
export function readPlainRequest(text: string, socket: Socket): RequestHead | null {
  const url = PLAIN_REQUEST.exec(text)?.[1];
  if (url === undefined) return null;
  let host: string | undefined;
  let referer: string | undefined;
  let userAgent: string | undefined;
  let forwardedFor: string | undefined;
  const last = text.length - 2;
  let end = text.indexOf('\r\n');
  for (let at = end + 2; at < last; at = end + 2) {
    end = text.indexOf('\r\n', at);
    const initial = text.charCodeAt(at) | LOWER_CASE;
    if (!INITIALS.has(initial)) continue;
    // Skips `Sec-Fetch-…` and `Sec-CH-…`, of which browsers send a handful.
    if (initial === LETTER_S && (text.charCodeAt(at + 4) | LOWER_CASE) !== LETTER_P) continue;
    const colon = text.indexOf(':', at);
    const written = text.slice(at, colon);
    const name = BY_NAME.get(written) ?? BY_NAME.get(written.toLowerCase());
    if (name === undefined) continue;
    const value = text.slice(colon + 1, end).trim();
    if (name === 'host' && host === undefined) host = value;
    else if (name === 'referer' && referer === undefined) referer = value;
    else if (name === 'user-agent' && userAgent === undefined) userAgent = value;
    else if (name === 'x-forwarded-for' && forwardedFor === undefined) forwardedFor = value;
    else if (name !== 'connection' || value.toLowerCase() !== 'keep-alive') return null;
  }
  if (host === undefined || !isHost(host)) return null;
  const headers = { host, referer, 'user-agent': userAgent, 'x-forwarded-for': forwardedFor };
  return { method: 'GET', url, headers, socket };
}
