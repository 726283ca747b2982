import { isFixedSegment } from '../common/routes';

/** Longest stored alias: 15 emoji of up to four UTF-16 units each. */
const LONGEST = 64;
const POSSIBLE = /^[A-Za-z0-9_\-\u{80}-\u{10ffff}]+$/u;

/** What the path of a GET or HEAD asks for. */
export type ShortPath =
  | { readonly kind: 'alias'; readonly alias: string; readonly query: string }
  /** One segment, but nothing that an alias could be. */
  | { readonly kind: 'impossible' }
  /** Not a short path: Nest's. */
  | { readonly kind: 'other' };

const OTHER: ShortPath = { kind: 'other' };
const IMPOSSIBLE: ShortPath = { kind: 'impossible' };

/** Reads `/{code}`, with at most one trailing slash, out of a request target. */
export function readShortPath(url: string): ShortPath {
  const mark = url.indexOf('?');
  let end = mark === -1 ? url.length : mark;
  if (end > 2 && url.charCodeAt(end - 1) === 47) end--;
  if (end < 2 || url.charCodeAt(0) !== 47) return OTHER;
  const slash = url.indexOf('/', 1);
  if (slash !== -1 && slash < end) return OTHER;
  const code = url.slice(1, end);
  if (isFixedSegment(code) || code.endsWith('+')) return OTHER;
  const alias = decodedAlias(code);
  if (alias === null) return IMPOSSIBLE;
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

/**
 * The alias that a percent-decoded code asks for: U+FE0F is dropped (docs/contract.md#8.1). Null
 * when no alias can look like that.
 */
export function toAlias(code: string): string | null {
  const alias = withoutVariation(code);
  return alias.length <= LONGEST && POSSIBLE.test(alias) ? alias : null;
}

/** Emoji codes are stored and compared without the variation selector U+FE0F. */
export function withoutVariation(code: string): string {
  return code.includes('\ufe0f') ? code.replaceAll('\ufe0f', '') : code;
}
