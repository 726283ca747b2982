/** How the paths under one first segment are answered (docs/contract.md#1, docs/contract.md#2.2, docs/contract.md#15). */
interface RoutePrefix {
  /** Form of errors: JSON, a page unless JSON is asked for, or JSON unless a page is (v0). */
  readonly errors: 'json' | 'page' | 'v0';
  /** Paths behind the segment whose errors are JSON all the same. */
  readonly jsonUnder?: RegExp;
  /** `private`: a credential decides, stored nowhere; `accept`: `Accept` decides; `same`: nothing does. */
  readonly caching: 'private' | 'accept' | 'same';
  /** Which origins may read the paths that end like that; none without it. */
  readonly origins?: { readonly who: 'any' | 'listed'; readonly under: RegExp };
}

const [ANYWHERE, BELOW, ALONE] = [/^/, /^\//, /^\/?$/];
const PAGE_ROUTE = { errors: 'page', caching: 'accept' } as const;
const V0 = { errors: 'v0', caching: 'accept' } as const;
const PRIVATE_PAGE = { errors: 'page', caching: 'private' } as const;
const LISTED_ORIGINS = { who: 'listed', under: BELOW } as const;
const any = (under: RegExp) => ({ who: 'any', under }) as const;

/** First path segments that are never aliases; each is a reserved alias too. */
const PREFIXES: ReadonlyMap<string, RoutePrefix> = new Map<string, RoutePrefix>([
  ['api', { errors: 'json', caching: 'private', origins: any(/^\/v1\//) }],
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
  ['report', PRIVATE_PAGE],
  ['static', { errors: 'page', caching: 'same' }],
  // Imported aliases may have a dot: the redirect leaves these names alone.
  ['favicon.ico', PAGE_ROUTE],
  ['robots.txt', PAGE_ROUTE],
  ['manifest.webmanifest', PAGE_ROUTE],
  ['.well-known', PAGE_ROUTE],
]);
/** The home page, to which v0 posts what is to be shortened. */
const HOME: RoutePrefix = { ...V0, origins: any(ALONE) };
/** Short links, and whatever else nobody knows. */
const OTHERS: RoutePrefix = PAGE_ROUTE;

export const FIXED_SEGMENTS: ReadonlySet<string> = new Set(PREFIXES.keys());

/** True for a first segment under which an unknown path is 404, never a redirect look-up. */
export function isFixedSegment(segment: string): boolean {
  return PREFIXES.has(segment);
}

/** Paths for admins, which are shown to nobody else (docs/contract.md#24.1). */
const HIDDEN_PATH = /^\/api\/v1\/admin(?:[/?]|$)/i;

/** Whether a path or request target is hidden: whatever it is refused for is told as an unknown path. */
export function isHidden(url: string): boolean {
  return HIDDEN_PATH.test(url);
}

/** Splits a path or request target into the row of its first segment and what follows it. */
function split(url: string): { segment: string; rest: string } {
  const [, segment = '', rest = ''] = /^\/([^/?]*)([^?]*)/.exec(url) ?? [];
  return { segment, rest };
}

function findRoutePrefix({ segment, rest }: { segment: string; rest: string }): RoutePrefix {
  if (segment === '') return rest === '' ? HOME : OTHERS;
  return PREFIXES.get(segment) ?? OTHERS;
}

/** Without regard to case, as the router reads paths. */
function findRow(url: string): { row: RoutePrefix; rest: string } {
  const { segment, rest } = split(url);
  return { row: findRoutePrefix({ segment: segment.toLowerCase(), rest }), rest };
}

/** Form of the errors under a path or request target. */
export function errorsUnder(url: string): RoutePrefix['errors'] {
  const { row, rest } = findRow(url);
  return row.jsonUnder?.test(rest) ? 'json' : row.errors;
}

export function cachingUnder(url: string): Pick<RoutePrefix, 'caching' | 'errors'> {
  return findRow(url).row;
}

/** The origins whose pages may read a path, which counts as it is written. */
export function originsUnder(path: string): 'any' | 'listed' | 'none' {
  const { segment, rest } = split(path);
  const { origins } = findRoutePrefix({ segment, rest });
  return origins?.under.test(rest) ? origins.who : 'none';
}
