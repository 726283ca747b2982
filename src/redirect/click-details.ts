import { USER_AGENT_LENGTH } from '../clicks/click-event';

/**
 * Cuts what a visitor sends to what a click is made of (docs/contract.md#8.4), so that the size of a click
 * in the journal has a bound: with all of these at their longest, and every character escaped, its
 * line has at most 4096 bytes (MAX_LINE_BYTES of the journal's format).
 */

/** A scheme is a word and a host name has 253 characters; what is longer is made up. */
const ORIGIN_LENGTH = 512;
/** The longest IPv6 address has 45 characters, a zone may follow. */
const ADDRESS_LENGTH = 64;

/** The address in X-Forwarded-For may be any text where every proxy is trusted. */
export function clickAddress(address: string): string {
  return address.length > ADDRESS_LENGTH ? address.slice(0, ADDRESS_LENGTH) : address;
}

export function clickUserAgent(userAgent: string | undefined): string {
  if (userAgent === undefined) return '';
  return userAgent.length > USER_AGENT_LENGTH ? userAgent.slice(0, USER_AGENT_LENGTH) : userAgent;
}

/**
 * Scheme and authority of a Referer, without credentials: all that its stored origin is read from.
 * Empty when that is longer than any real one.
 */
export function clickReferer(referer: string | undefined): string {
  if (referer === undefined) return '';
  const mark = referer.indexOf('://');
  // Not of the usual form: whether it can be read is the recorder's question.
  if (mark === -1) return referer.length > ORIGIN_LENGTH ? '' : referer;
  const start = mark + 3;
  let end = start;
  while (end < referer.length && !endsAuthority(referer.charCodeAt(end))) end++;
  const at = referer.lastIndexOf('@', end - 1);
  const from = at >= start ? at + 1 : start;
  if (start + end - from > ORIGIN_LENGTH) return '';
  return from === start
    ? referer.slice(0, end)
    : referer.slice(0, start) + referer.slice(from, end);
}

/** `/`, `?` or `#`. */
function endsAuthority(code: number): boolean {
  return code === 47 || code === 63 || code === 35;
}
