/** Does not use `URL.canParse`, which rejects some valid non-ASCII URLs in Node.js 20 and 22. */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

export function isHttps(url: string): boolean {
  return parseUrl(url)?.protocol === 'https:';
}

const SERVER = /^(?:\[[\da-f:.]+\]|[\w.%-]+)(?::\d+)?$/i;

/** Returns the hosts for logs; empty if an `@` follows them, as with an unescaped password. */
export function serverFromUrl(url: string): string {
  const [, authority = '', rest = ''] = /^(?:[^/?#]*:\/\/([^/?#]*)|(?=\/))(.*)$/s.exec(url) ?? [];
  if (rest.includes('@')) return '';
  const servers = authority.slice(authority.lastIndexOf('@') + 1);
  if (servers === '') return /^\/[^?#]*/.exec(rest)?.[0] ?? '';
  return servers.split(',').every((server) => SERVER.test(server)) ? servers : '';
}
