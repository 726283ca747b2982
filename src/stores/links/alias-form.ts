/** Longest stored alias: imports take over what other services have printed (docs/contract.md#22.2). */
export const MAX_ALIAS_LENGTH = 128;
/** `.` and `..` are steps of a path, and no names. */
const POSSIBLE = /^(?!\.{1,2}$)[A-Za-z0-9_.~\-\u{80}-\u{10ffff}]+$/u;

/**
 * The alias that a percent-decoded code asks for: U+FE0F is dropped (docs/contract.md#8.1). Null
 * when no alias can look like that.
 */
export function toAlias(code: string): string | null {
  const alias = withoutVariation(code);
  return alias.length <= MAX_ALIAS_LENGTH && POSSIBLE.test(alias) ? alias : null;
}

/** Emoji codes are stored and compared without the variation selector U+FE0F. */
export function withoutVariation(code: string): string {
  return code.includes('\ufe0f') ? code.replaceAll('\ufe0f', '') : code;
}

/**
 * An alias as links store it: of one that lies on a custom domain behind the domain's id, so that
 * each domain is a space of its own (no alias holds a slash).
 */
export function toKey(domainId: string | null, alias: string): string {
  return domainId === null ? alias : `${domainId}/${alias}`;
}

/** The stored alias that a percent-decoded code asks for on a domain; null when there can be none. */
export function keyOfCode(domainId: string | null, code: string): string | null {
  const alias = toAlias(code);
  return alias === null ? null : toKey(domainId, alias);
}

/** The domain and the alias of a stored alias; a domain of null is BASE_URL's host. */
export function placeOfKey(key: string): { domainId: string | null; alias: string } {
  const slash = key.indexOf('/');
  if (slash === -1) return { domainId: null, alias: key };
  return { domainId: key.slice(0, slash), alias: key.slice(slash + 1) };
}
