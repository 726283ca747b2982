import { isFixedSegment } from './routes';
import { parseUrl } from '../config/url';

export const DASHBOARD = '/dashboard';
const MAX_PATH_CHARACTERS = 2048;
/** Placeholder origin for parsing a path as browsers do. */
const SITE = 'https://site.invalid';

/**
 * Returns `next` if it is the home page or a path on this service (docs/contract.md#12.6), but not
 * a short link, which could lead anywhere. Resolves the path as browsers do.
 */
export function safeReturnPath(next: unknown): string {
  if (typeof next !== 'string' || next.length > MAX_PATH_CHARACTERS) return DASHBOARD;
  if (!/^\/(?![/\\])\P{Cc}*$/u.test(next) || !next.isWellFormed()) return DASHBOARD;
  const url = parseUrl(next, SITE);
  if (url?.origin !== SITE || !isOwnPath(url.pathname)) return DASHBOARD;
  return url.pathname + url.search + url.hash;
}

/** Compares segments literally. Segments with escapes or in another case do not match. */
function isOwnPath(pathname: string): boolean {
  if (pathname === '/') return true;
  // A proxy might decode these characters and resolve the path again.
  if (/%(2e|2f|5c)/i.test(pathname)) return false;
  return isFixedSegment(pathname.split('/')[1] ?? '');
}
