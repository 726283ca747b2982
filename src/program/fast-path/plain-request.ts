import type { Socket } from 'node:net';
import type { RequestHead } from '../../common/request-handler';
import { isHost } from '../../common/host';

/** The form that RFC 9112 requires of clients: single spaces, CR LF, no folding, only ASCII. */
const PLAIN_REQUEST =
  /^GET (\/[!-"$-~]*) HTTP\/1\.1\r\n(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t -~]*\r\n)+\r\n$/;

/** Headers whose values are read; all other headers only need the form above. */
const HEADER_NAMES = [
  // Needed for the redirect and its click.
  ...['host', 'referer', 'user-agent', 'x-forwarded-for'],
  // Headers about the body or connection; only `Connection: keep-alive` is accepted.
  ...['connection', 'content-length', 'expect', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
  // A request with one of these headers is a prefetch and never a plain request.
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
 * Parses a complete plain request, given as one character per byte; null if Node must parse it.
 * Strict, so that neither a proxy nor Node could interpret the bytes differently.
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
    // Skips `Sec-Fetch-…` and `Sec-CH-…`, of which browsers send several.
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
