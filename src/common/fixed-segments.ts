/** First path segments that are never aliases (docs/contract.md#15); each is a reserved alias too. */
export const FIXED_SEGMENTS: ReadonlySet<string> = new Set([
  'api',
  'auth',
  'oauth',
  'health',
  'docs',
  'openapi.json',
  'stats',
  'export',
  'emoji',
  'metric',
  'metrics',
  'result',
  'dashboard',
  'login',
  'register',
  'signup',
  'static',
  // No alias can have a dot; they are here so that the redirect leaves them alone.
  'favicon.ico',
  'robots.txt',
  '.well-known',
]);

/** True for a first segment under which an unknown path is 404, never a redirect look-up. */
export function isFixedSegment(segment: string): boolean {
  return FIXED_SEGMENTS.has(segment);
}
