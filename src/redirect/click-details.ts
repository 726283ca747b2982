import { USER_AGENT_LENGTH } from '../clicks/click-event';

/**
 * Truncates visitor input for clicks (docs/contract.md#8.4). Even with maximum-length values and
 * all characters escaped, a journal line has at most 4096 bytes (MAX_LINE_BYTES).
 */

/** Host names have at most 253 characters; longer origins are fake. */
const ORIGIN_LENGTH = 512;
/** IPv6 addresses have at most 45 characters, plus a zone. */
const ADDRESS_LENGTH = 64;

/** X-Forwarded-For may contain any text if every proxy is trusted. */
export function clickAddress(address: string): string {
  return address.length > ADDRESS_LENGTH ? address.slice(0, ADDRESS_LENGTH) : address;
}

export function clickUserAgent(userAgent: string | undefined): string {
  if (userAgent === undefined) return '';
  return userAgent.length > USER_AGENT_LENGTH ? userAgent.slice(0, USER_AGENT_LENGTH) : userAgent;
}

/** Returns scheme and host without credentials; empty if longer than any real origin. */
export function clickReferer(referer: string | undefined): string {
  if (referer === undefined) return '';
  const mark = referer.indexOf('://');
  // Not an absolute URL. The recorder decides whether it can be parsed.
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

function endsAuthority(code: number): boolean {
  return code === 47 || code === 63 || code === 35;
}
