/** Response rules per first path segment (docs/contract.md#1, #2.2, #15). */
interface RoutePrefix {
  /** `page` means JSON only on request, and `v0` means a page only on request. */
  readonly errors: 'json' | 'page' | 'v0';
  /** Subpaths whose errors are always JSON. */
  readonly jsonUnder?: RegExp;
  /** Whether responses depend on a credential (never cached), the `Accept` header, or nothing. */
  readonly caching: 'private' | 'accept' | 'same';
  /** Origins that may read matching subpaths; none by default. */
  readonly origins?: { readonly who: 'any' | 'listed'; readonly under: RegExp };
}

const [ANYWHERE, BELOW, ALONE] = [/^/, /^\//, /^\/?$/];
const PAGE_ROUTE = { errors: 'page', caching: 'accept' } as const;
const V0 = { errors: 'v0', caching: 'accept' } as const;
const PRIVATE_PAGE = { errors: 'page', caching: 'private' } as const;
const LISTED_ORIGINS = { who: 'listed', under: BELOW } as const;
const any = (under: RegExp) => ({ who: 'any', under }) as const;

/** First path segments; all are reserved aliases. */
const PREFIXES: ReadonlyMap<string, RoutePrefix> = new Map<string, RoutePrefix>([
  ['api', { errors: 'json', caching: 'private', origins: any(/^\/v(?:1\/|2(?:\/|$))/) }],
  ['yourls-api.php', { errors: 'json', caching: 'private', origins: any(ALONE) }],
  ['auth', { errors: 'json', caching: 'private', origins: LISTED_ORIGINS }],
  ['oauth', { ...PRIVATE_PAGE, jsonUnder: /^\/providers/i, origins: LISTED_ORIGINS }],
  ['health', { errors: 'json', caching: 'same' }],
  ['docs', { errors: 'page', caching: 'same' }],
  ['openapi.json', { errors: 'json', caching: 'same' }],
  ['stats', { ...V0, origins: any(ANYWHERE) }],
  ['export', { ...V0, origins: any(ANYWHERE) }],
  ['emoji', { ...V0, origins: any(ALONE) }],
  ['metric', { errors: 'json', caching: 'same', origins: any(ALONE) }],
  ['metrics', { errors: 'json', caching: 'same' }],
  ['result', PAGE_ROUTE],
  ['dashboard', PRIVATE_PAGE],
  ['login', PRIVATE_PAGE],
  ['register', PRIVATE_PAGE],
  ['signup', PAGE_ROUTE],
  ['setup', PRIVATE_PAGE],
  ['report', PRIVATE_PAGE],
  ['static', { errors: 'page', caching: 'same' }],
  // Names that never redirect, although imported aliases may contain a dot.
  ['favicon.ico', PAGE_ROUTE],
  ['robots.txt', PAGE_ROUTE],
  ['manifest.webmanifest', PAGE_ROUTE],
  ['.well-known', PAGE_ROUTE],
]);
/** v0 clients post URLs to the home page. */
const HOME: RoutePrefix = { ...V0, origins: any(ALONE) };
const OTHERS: RoutePrefix = PAGE_ROUTE;
/** Shlink's API. `rest` stays available as an alias (docs/contract.md#35.1). */
const REST: RoutePrefix = { errors: 'json', caching: 'private', origins: any(ANYWHERE) };
const REST_PATH = /^\/(?:v[1-3](?:\/|$)|health\/?$)/i;

export const FIXED_SEGMENTS: ReadonlySet<string> = new Set(PREFIXES.keys());

/** Whether unknown paths below the segment return 404 without a redirect lookup. */
export function isFixedSegment(segment: string): boolean {
  return PREFIXES.has(segment);
}

/** Paths that only admins can see (docs/contract.md#24.1). */
const HIDDEN_PATH = /^\/api\/v1\/admin(?:[/?]|$)/i;

/** Errors below hidden paths look like errors for unknown paths. */
export function isHidden(url: string): boolean {
  return HIDDEN_PATH.test(url);
}

function split(url: string): { segment: string; rest: string } {
  const [, segment = '', rest = ''] = /^\/([^/?]*)([^?]*)/.exec(url) ?? [];
  return { segment, rest };
}

function findRoutePrefix({ segment, rest }: { segment: string; rest: string }): RoutePrefix {
  if (segment === '') return rest === '' ? HOME : OTHERS;
  if (segment === 'rest' && REST_PATH.test(rest)) return REST;
  return PREFIXES.get(segment) ?? OTHERS;
}

/** Case-insensitive, like the router. */
function findRow(url: string): { row: RoutePrefix; rest: string } {
  const { segment, rest } = split(url);
  return { row: findRoutePrefix({ segment: segment.toLowerCase(), rest }), rest };
}

export function errorsUnder(url: string): RoutePrefix['errors'] {
  const { row, rest } = findRow(url);
  return row.jsonUnder?.test(rest) ? 'json' : row.errors;
}

export function cachingUnder(url: string): Pick<RoutePrefix, 'caching' | 'errors'> {
  return findRow(url).row;
}

/** Case-sensitive. */
export function originsUnder(path: string): 'any' | 'listed' | 'none' {
  const { segment, rest } = split(path);
  const { origins } = findRoutePrefix({ segment, rest });
  return origins?.under.test(rest) ? origins.who : 'none';
}
