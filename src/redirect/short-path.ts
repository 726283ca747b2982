import { isFixedSegment } from '../common/routes';
import { toAlias } from '../stores/links/alias-form';

/** The meaning of the path of a GET or HEAD. */
export type ShortPath =
  | { readonly kind: 'alias'; readonly alias: string; readonly query: string }
  /** One segment, but nothing that an alias could be. */
  | { readonly kind: 'impossible' }
  /** Not a short path: Nest's. */
  | { readonly kind: 'other' };

const OTHER_PATH: ShortPath = { kind: 'other' };
const IMPOSSIBLE_PATH: ShortPath = { kind: 'impossible' };

/** Reads `/{code}`, with at most one trailing slash, out of a request target. */
export function readShortPath(url: string): ShortPath {
  const mark = url.indexOf('?');
  let end = mark === -1 ? url.length : mark;
  if (end > 2 && url.charCodeAt(end - 1) === 47) end--;
  if (end < 2 || url.charCodeAt(0) !== 47) return OTHER_PATH;
  const slash = url.indexOf('/', 1);
  if (slash !== -1 && slash < end) return OTHER_PATH;
  const code = url.slice(1, end);
  if (isFixedSegment(code) || code.endsWith('+')) return OTHER_PATH;
  const alias = decodedAlias(code);
  if (alias === null) return IMPOSSIBLE_PATH;
  return { kind: 'alias', alias, query: mark === -1 ? '' : url.slice(mark + 1) };
}

/** Percent-decodes a code once; null when no alias can look like that. */
function decodedAlias(code: string): string | null {
  if (!code.includes('%')) return toAlias(code);
  try {
    return toAlias(decodeURIComponent(code));
  } catch {
    return null;
  }
}
