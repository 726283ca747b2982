import { parseUrl } from '../config/url';

const NON_HEADER_CHARACTERS = /[^\x21-\x7e]+/g;
/** Scheme and user info, then the host up to its port; of an IPv6 address no more than its bracket. */
const HOST = /^(https?:\/\/(?:[^/?#\\]*@)?)([^/?#\\:@]+)/i;
/** A host that DNS does not know in this form: with letters beyond ASCII, or escaped. */
const NOT_AS_DNS_HAS_IT = /[^\x21-\x7e]|%/;

/**
 * The Location of a destination (docs/contract.md#8.1): unchanged, but for a host that DNS has in
 * another form, and for characters that no header can carry, which are percent-encoded as browsers
 * do before sending them (RFC 3987, 3.1). Made once for a link, not for each redirect.
 */
export function toLocation(longUrl: string): string {
  return withAsciiHost(longUrl).replace(NON_HEADER_CHARACTERS, encodeURIComponent);
}

function withAsciiHost(longUrl: string): string {
  const [start = '', before = '', host = ''] = HOST.exec(longUrl) ?? [];
  if (!NOT_AS_DNS_HAS_IT.test(host)) return longUrl;
  // Null for a host that earlier releases took and this one would refuse.
  const hostname = parseUrl(longUrl)?.hostname ?? host;
  return before + hostname + longUrl.slice(start.length);
}
