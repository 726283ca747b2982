export const DASHBOARD = '/dashboard';
const LONGEST = 2048;

/**
 * Where the browser lands after a sign-in (contract 12.6): `next` when it is a path of this site,
 * `/dashboard` for anything that a browser could read as another one.
 */
export function landingPath(next: unknown): string {
  if (typeof next !== 'string' || next.length > LONGEST) return DASHBOARD;
  // Browsers leave out tabs and line ends, so that `/<tab>/host` would be `//host`.
  if (!/^\/(?![/\\])\P{Cc}*$/u.test(next) || !next.isWellFormed()) return DASHBOARD;
  return next;
}
