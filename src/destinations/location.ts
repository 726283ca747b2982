import { parseUrl } from '../config/url';

const NON_HEADER_CHARACTERS = /[^\x21-\x7e]+/g;
/** Scheme and user info, then the host without port, or the opening bracket of an IPv6 address. */
const HOST = /^(https?:\/\/(?:[^/?#\\]*@)?)([^/?#\\:@]+)/i;
/** Matches hosts that are not in DNS form: non-ASCII or percent-encoded. */
const NOT_AS_DNS_HAS_IT = /[^\x21-\x7e]|%/;

/**
 * Returns a destination's Location header (docs/contract.md#8.1). The host is in ASCII, and
 * characters that headers cannot contain are percent-encoded as in browsers (RFC 3987, 3.1).
 */
export function toLocation(longUrl: string): string {
  return withAsciiHost(longUrl).replace(NON_HEADER_CHARACTERS, encodeURIComponent);
}

function withAsciiHost(longUrl: string): string {
  const [start = '', before = '', host = ''] = HOST.exec(longUrl) ?? [];
  if (!NOT_AS_DNS_HAS_IT.test(host)) return longUrl;
  // Earlier releases accepted hosts that the parser now rejects.
  const hostname = parseUrl(longUrl)?.hostname ?? host;
  return before + hostname + longUrl.slice(start.length);
}
