/**
 * The URL that a text spells, or null when it spells none. `URL.canParse` is not used anywhere:
 * once V8 has optimised a call of it, Node.js 20 and 22 answer false for texts outside of ASCII
 * such as `https://münchen.de/`.
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

/** Hosts and ports of a server's URL, which may hold a password and name several hosts. */
export function serverOf(url: string): string {
  const [, authority = ''] = /^[^:]*:\/\/([^/?#]*)/.exec(url) ?? [];
  return authority.slice(authority.lastIndexOf('@') + 1);
}
