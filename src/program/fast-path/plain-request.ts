import type { Socket } from 'node:net';
import type { RequestHead } from '../../common/request-handler';
import { isHost } from '../../common/host';

/**
 * A GET over HTTP/1.1 to a path, whole and with nothing behind it, in the form that RFC 9112 asks of
 * senders: single spaces in the request line, CR LF after each line, no folded lines, ASCII alone
 * without control characters.
 */
const PLAIN_REQUEST =
  /^GET (\/[!-"$-~]*) HTTP\/1\.1\r\n(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t -~]*\r\n)+\r\n$/;

/** Headers that are looked at; of all others it is enough that they are of the form above. */
const HEADER_NAMES = [
  // A redirect and its click are made of these.
  ...['host', 'referer', 'user-agent', 'x-forwarded-for'],
  // These speak of a body or of the connection; `Connection: keep-alive` alone says nothing new.
  ...['connection', 'content-length', 'expect', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
  // These ask ahead of a visit: such a request is never a plain one.
  ...['purpose', 'sec-purpose', 'x-moz', 'x-purpose'],
] as const;
type Name = (typeof HEADER_NAMES)[number];

/** By the name in lower case and as it is mostly written. */
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
 * The request that this text is (a character for each byte), whole and alone, with the headers that a
 * redirect is made of; null for everything that had better be read by Node's parser. It is strict so
 * that nobody reads such bytes differently: no proxy ahead of us, and not Node, from which they are
 * kept. More than one of a header is Node's to join or to choose from.
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
    // Browsers send a handful of these, all but one of which are `Sec-Fetch-…` and `Sec-CH-…`.
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
