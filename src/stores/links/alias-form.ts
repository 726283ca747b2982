/** Long enough for imported aliases, which may already be in print (docs/contract.md#22.3). */
export const MAX_ALIAS_LENGTH = 128;
/** Matches possible aliases, except `.` and `..`, which have a special meaning in paths. */
const POSSIBLE = /^(?!\.{1,2}$)[A-Za-z0-9_.~\-\u{80}-\u{10ffff}]+$/u;

/** Removes U+FE0F (docs/contract.md#8.1); null if the decoded code cannot be an alias. */
export function toAlias(code: string): string | null {
  const alias = withoutVariation(code);
  return alias.length <= MAX_ALIAS_LENGTH && POSSIBLE.test(alias) ? alias : null;
}

/** Emoji aliases are stored and compared without the variation selector U+FE0F. */
export function withoutVariation(code: string): string {
  return code.includes('\ufe0f') ? code.replaceAll('\ufe0f', '') : code;
}

/** Prefixes the alias with the domain id, so that each domain has separate aliases. */
export function toKey(domainId: string | null, alias: string): string {
  return domainId === null ? alias : `${domainId}/${alias}`;
}

/** Maps A–Z to a–z and nothing else (docs/contract.md#34.4). Domain ids have no capital letters. */
export function foldKey(key: string): string {
  return key.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Returns the links by folded alias, without those whose aliases differ only in case. */
export function soleByFold<Named extends { readonly alias: string }>(
  links: Iterable<Named>,
): Map<string, Named> {
  const sole = new Map<string, Named>();
  const several = new Set<string>();
  for (const link of links) {
    const folded = foldKey(link.alias);
    if (sole.has(folded)) several.add(folded);
    sole.set(folded, link);
  }
  for (const folded of several) sole.delete(folded);
  return sole;
}

/** Matches the stored aliases of a domain. Null means BASE_URL's host. */
export function aliasesOn(domainId: string | null): RegExp {
  return domainId === null ? /^[^/]+$/ : new RegExp(`^${domainId}/`);
}

/** Null if the percent-decoded code cannot be an alias. */
export function keyOfCode(domainId: string | null, code: string): string | null {
  const alias = toAlias(code);
  return alias === null ? null : toKey(domainId, alias);
}

/** Splits a stored alias; `domainId` is null for BASE_URL's host. */
export function placeOfKey(key: string): { domainId: string | null; alias: string } {
  const slash = key.indexOf('/');
  if (slash === -1) return { domainId: null, alias: key };
  return { domainId: key.slice(0, slash), alias: key.slice(slash + 1) };
}

/** Returns text that is not percent-encoded UTF-8 unchanged; such text matches no alias. */
export function decodeCode(code: string): string {
  try {
    return decodeURIComponent(code);
  } catch {
    return code;
  }
}
