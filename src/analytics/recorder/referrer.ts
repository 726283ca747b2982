import { LRUCache } from 'lru-cache';
import { parseUrl } from '../../core/url';

/** A host name has at most 253 characters; a scheme is a word. */
const LONGEST = 300;
const LONGEST_REMEMBERED = 512;

const referrers = new LRUCache<string, { referrer: string | null }>({ max: 2000 });

/** `scheme://host` of a Referer header in lower case; null when it is absent or unreadable. */
export function referrerOf(referer: string): string | null {
  if (referer === '') return null;
  if (referer.length > LONGEST_REMEMBERED) return read(referer);
  let known = referrers.get(referer);
  if (known === undefined) {
    known = { referrer: read(referer) };
    referrers.set(referer, known);
  }
  return known.referrer;
}

function read(referer: string): string | null {
  const url = parseUrl(referer);
  if (url === null || url.hostname === '') return null;
  const referrer = `${url.protocol}//${url.hostname}`.toLowerCase();
  return referrer.length > LONGEST ? null : referrer;
}
