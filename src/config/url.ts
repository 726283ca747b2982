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

/** Whether a URL has the scheme https, in whatever case. */
export function isHttps(url: string): boolean {
  return parseUrl(url)?.protocol === 'https:';
}

const SERVER = /^(?:\[[\da-f:.]+\]|[\w.%-]+)(?::\d+)?$/i;

/**
 * Hosts and ports of a server's URL, or the path of its socket. The URL may hold a password and
 * name several hosts. Empty when an `@` stands behind the hosts: a password that is not escaped may
 * end there, so that what looks like a host is a piece of it.
 */
export function serverFromUrl(url: string): string {
  const [, authority = '', rest = ''] = /^(?:[^/?#]*:\/\/([^/?#]*)|(?=\/))(.*)$/s.exec(url) ?? [];
  if (rest.includes('@')) return '';
  const servers = authority.slice(authority.lastIndexOf('@') + 1);
  if (servers === '') return /^\/[^?#]*/.exec(rest)?.[0] ?? '';
  return servers.split(',').every((server) => SERVER.test(server)) ? servers : '';
}
