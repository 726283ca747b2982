import { isIP } from 'node:net';
import { parseUrl } from '../../config/url';

/** Names of the machine itself, and addresses, that hosts files begin with. */
const OWN_NAMES: ReadonlySet<string> = new Set([
  ...['localhost', 'localhost.localdomain', 'localhost4', 'localhost6', 'local', 'broadcasthost'],
  ...['localhost4.localdomain4', 'localhost6.localdomain6', '0.0.0.0', '127.0.0.1', '[::1]'],
  ...['ip6-localhost', 'ip6-loopback', 'ip6-localnet', 'ip6-mcastprefix'],
  ...['ip6-allnodes', 'ip6-allrouters', 'ip6-allhosts'],
]);
const PLAIN_HOST =
  /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_](?:[a-z0-9_-]{0,62}))*$/;
const ENDS_IN_NUMBER = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/;
/** Characters of an address of the web that no host has. */
const NO_HOST = /[/?#@:\\\s]/;

/** Comments and the first line of adblock lists. */
const ADBLOCK_COMMENT = /^\s*(?:!|\[(?:ad|ublock))/i;
/** Rules for parts of a page: element hiding, styles, scripts and HTML, and exceptions from them. */
const PAGE_RULE = /^[^#]*[^\s#]#[@$?%]{0,3}#/;
/** A rule for a whole host. With other options it blocks only some requests. */
const HOST_RULE = /^\|\|([^|^$]+)\^(?:\$(?:(?:all|doc|document|important)(?:,(?=.)|$))+)?$/;

/** The hosts of a line of BLOCKED_HOSTS_FILE; none for comments and such; null where it is unreadable. */
export function hostsOfLine(line: string): string[] | null {
  if (ADBLOCK_COMMENT.test(line)) return [];
  if (PAGE_RULE.test(line)) return null;
  const text = line.split('#', 1)[0]?.trim() ?? '';
  if (text === '') return [];
  if (text.startsWith('||')) return hostsOfRule(text);
  const words = text.split(/\s+/);
  const [first = '', ...others] = words;
  // An address alone is what is to be blocked; before names it is where a hosts file sends them.
  const names = others.length > 0 && isIpAddress(first) ? others : words;
  if (names === words && others.length > 0) return null;
  const hosts = names.map(parseHost);
  if (hosts.includes(null)) return null;
  return hosts.filter((host): host is string => host !== null && !OWN_NAMES.has(host));
}

/** In adblock lists `||zip^` is a whole top-level domain, but a single label here is one host. */
function hostsOfRule(text: string): string[] | null {
  const host = parseHost(HOST_RULE.exec(text)?.[1] ?? '');
  if (host === null || !host.includes('.')) return null;
  return OWN_NAMES.has(host) ? [] : [host];
}

function isIpAddress(word: string): boolean {
  // An IPv6 address of one machine may name its network card.
  return isIP(word.replace(/%.*$/, '')) !== 0;
}

/** A name as URLs have it: in lower case, in A-labels, addresses in their one spelling. */
function parseHost(word: string): string | null {
  const name = word.toLowerCase().replace(/^\*\./, '').replace(/\.$/, '');
  if (PLAIN_HOST.test(name) && !ENDS_IN_NUMBER.test(name)) return name;
  if (isIP(name) === 6) return parseUrl(`http://[${name}]`)?.hostname ?? null;
  if (name === '' || NO_HOST.test(name)) return null;
  const host = parseUrl(`http://${name}`)?.hostname.replace(/\.$/, '') ?? '';
  return isIP(host) === 4 || PLAIN_HOST.test(host) ? host : null;
}
