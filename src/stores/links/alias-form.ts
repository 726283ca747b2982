/** Imports keep aliases that are in print elsewhere (docs/contract.md#22.3). */
export const MAX_ALIAS_LENGTH = 128;
/** Excludes the path steps `.` and `..`. */
const POSSIBLE = /^(?!\.{1,2}$)[A-Za-z0-9_.~\-\u{80}-\u{10ffff}]+$/u;

/** Drops U+FE0F (docs/contract.md#8.1); null if no alias can match the percent-decoded code. */
export function toAlias(code: string): string | null {
  const alias = withoutVariation(code);
  return alias.length <= MAX_ALIAS_LENGTH && POSSIBLE.test(alias) ? alias : null;
}

/** Emoji aliases are stored and compared without the variation selector. */
export function withoutVariation(code: string): string {
  return code.includes('\ufe0f') ? code.replaceAll('\ufe0f', '') : code;
}

/** Prefixed with the domain id, so each domain is a namespace; aliases contain no slash. */
export function toKey(domainId: string | null, alias: string): string {
  return domainId === null ? alias : `${domainId}/${alias}`;
}

/** Null if no alias can match the percent-decoded code. */
export function keyOfCode(domainId: string | null, code: string): string | null {
  const alias = toAlias(code);
  return alias === null ? null : toKey(domainId, alias);
}

/** Splits a stored alias; domainId null = BASE_URL's host. */
export function placeOfKey(key: string): { domainId: string | null; alias: string } {
  const slash = key.indexOf('/');
  if (slash === -1) return { domainId: null, alias: key };
  return { domainId: key.slice(0, slash), alias: key.slice(slash + 1) };
}

/** Returns text that is not percent-encoded UTF-8 unchanged; no alias matches it. */
export function decodeCode(code: string): string {
  try {
    return decodeURIComponent(code);
  } catch {
    return code;
  }
}
