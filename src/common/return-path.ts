import { isFixedSegment } from './routes';
import { parseUrl } from '../config/url';

export const DASHBOARD = '/dashboard';
const MAX_PATH_CHARACTERS = 2048;
/** Any site will do: it stands in for ours, so that a path is read as browsers read it. */
const SITE = 'https://site.invalid';

/**
 * Where the browser lands after a sign-in (docs/contract.md#12.6): `next` when it is the home page or a
 * path under one of our fixed first segments, `/dashboard` for anything else. A short link would
 * send the person who has just signed in on to whatever its maker has chosen.
 *
 * The check sees the text as browsers do (dot segments are resolved, backslashes become slashes),
 * and the checked form is the one returned.
 */
export function safeReturnPath(next: unknown): string {
  if (typeof next !== 'string' || next.length > MAX_PATH_CHARACTERS) return DASHBOARD;
  if (!/^\/(?![/\\])\P{Cc}*$/u.test(next) || !next.isWellFormed()) return DASHBOARD;
  const url = parseUrl(next, SITE);
  if (url?.origin !== SITE || !isOwnPath(url.pathname)) return DASHBOARD;
  return url.pathname + url.search + url.hash;
}

/** The first segment counts as it is written: an encoded or differently cased one is none of ours. */
function isOwnPath(pathname: string): boolean {
  if (pathname === '/') return true;
  // A proxy in front may decode these and resolve the path once more.
  if (/%(2e|2f|5c)/i.test(pathname)) return false;
  return isFixedSegment(pathname.split('/')[1] ?? '');
}
