import { isFixedSegment } from '../common/routes';
import { toAlias } from '../stores/links/alias-form';

export type ShortPath =
  | { readonly kind: 'alias'; readonly alias: string; readonly query: string }
  /** A single segment that cannot be an alias. */
  | { readonly kind: 'impossible' }
  /** Any other path, which is passed to Nest. */
  | { readonly kind: 'other' };

const OTHER_PATH: ShortPath = { kind: 'other' };
const IMPOSSIBLE_PATH: ShortPath = { kind: 'impossible' };

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

/** Decodes once. Returns null if the result cannot be an alias. */
function decodedAlias(code: string): string | null {
  if (!code.includes('%')) return toAlias(code);
  try {
    return toAlias(decodeURIComponent(code));
  } catch {
    return null;
  }
}
