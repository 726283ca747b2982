import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import { typedAddress } from '../../common/typed-address';
import { checkFile, fileState, readTextFile } from '../../config/text-file';
import { addUnreadable, type UnreadableLines } from '../lists/unreadable-lines';
import { type HostTable, HostTableBuilder } from './host-table';
import { parseUrl } from '../../config/url';

const MAX_HOSTS = 1_000_000;
const MAX_HOSTS_FILE_BYTES = 64 * 1024 * 1024;

interface HostList {
  /** The file's state before it was read. It is compared later to detect changes. */
  readonly state: string;
  readonly table: HostTable;
  readonly unreadable: UnreadableLines;
}

/** @throws Error with a message that completes a sentence starting with the file */
export function readHostsFile(path: string, maxHosts = MAX_HOSTS): HostList {
  checkFile(path);
  const state = fileState(statSync(path, { bigint: true }));
  const text = readTextFile(path, MAX_HOSTS_FILE_BYTES);
  const builder = new HostTableBuilder();
  const unreadable: UnreadableLines = { total: 0, lines: [] };
  let number = 0;
  for (let from = 0; from < text.length; number += 1) {
    const newline = text.indexOf('\n', from);
    const line = text.slice(from, newline === -1 ? text.length : newline);
    from += line.length + 1;
    const hosts = hostsOfLine(line);
    for (const host of hosts ?? []) builder.add(host);
    if (builder.size > maxHosts) throw new Error(`may have at most ${maxHosts} hosts`);
    if (hosts === null) addUnreadable(unreadable, number + 1, line);
  }
  return { state, table: builder.build(), unreadable };
}

const OWN_NAMES: ReadonlySet<string> = new Set([
  ...['localhost', 'localhost.localdomain', 'localhost4', 'localhost6', 'local', 'broadcasthost'],
  ...['localhost4.localdomain4', 'localhost6.localdomain6', '0.0.0.0', '127.0.0.1', '[::1]'],
  ...['ip6-localhost', 'ip6-loopback', 'ip6-localnet', 'ip6-mcastprefix'],
  ...['ip6-allnodes', 'ip6-allrouters', 'ip6-allhosts'],
]);
const PLAIN_HOST =
  /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_](?:[a-z0-9_-]{0,62}))*$/;
const ENDS_IN_NUMBER = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/;
const NO_HOST = /[/?#@:\\\s]/;

const ADBLOCK_COMMENT = /^\s*(?:!|\[(?:ad|ublock))/i;
/** Adblock rules for page elements: hiding, styles, scripts, HTML, and exceptions. */
const PAGE_RULE = /^[^#]*[^\s#]#[@$?%]{0,3}#/;
/** A rule for a whole host. Rules with other options block only some requests. */
const HOST_RULE = /^\|\|([^|^$]+)\^(?:\$(?:(?:all|doc|document|important)(?:,(?=.)|$))+)?$/;

/** Returns the hosts on a line of BLOCKED_HOSTS_FILE; none for comments, null if unreadable. */
export function hostsOfLine(line: string): string[] | null {
  if (ADBLOCK_COMMENT.test(line)) return [];
  if (PAGE_RULE.test(line)) return null;
  const text = line.split('#', 1)[0]?.trim() ?? '';
  if (text === '') return [];
  if (text.startsWith('||')) return hostsOfRule(text);
  const words = text.split(/\s+/);
  const [first = '', ...others] = words;
  // A line with only an address blocks the address. An address before names belongs to a hosts
  // file.
  const names = others.length > 0 && isIP(first.replace(/%.*$/, '')) !== 0 ? others : words;
  if (names === words && others.length > 0) return null;
  const hosts = names.map(parseHost);
  if (hosts.includes(null)) return null;
  return hosts.filter((host): host is string => host !== null && !OWN_NAMES.has(host));
}

/** Rejects single labels such as `||zip^`, which mean a top-level domain in adblock lists. */
function hostsOfRule(text: string): string[] | null {
  const host = parseHost(HOST_RULE.exec(text)?.[1] ?? '');
  if (host === null || !host.includes('.')) return null;
  return OWN_NAMES.has(host) ? [] : [host];
}

/** Returns the name as in URLs: in lower case, with A-labels and canonical addresses. */
function parseHost(word: string): string | null {
  const name = word.toLowerCase().replace(/^\*\./, '').replace(/\.$/, '');
  if (PLAIN_HOST.test(name) && !ENDS_IN_NUMBER.test(name)) return name;
  if (isIP(name) === 6) return parseUrl(`http://[${name}]`)?.hostname ?? null;
  if (name === '' || NO_HOST.test(name)) return null;
  const host = parseUrl(`http://${name}`)?.hostname.replace(/\.$/, '') ?? '';
  return isIP(host) === 4 || PLAIN_HOST.test(host) ? host : null;
}

/** Returns the host of a URL or of a line as in BLOCKED_HOSTS_FILE; null if there is none. */
export function hostToBlock(text: string): string | null {
  const typed = text.trim();
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : typedAddress(typed);
  const name = isNetwork(typed) ? '' : (parseUrl(url)?.hostname.replace(/^\[|\]$/g, '') ?? typed);
  const [host = null, ...others] = hostsOfLine(name) ?? [];
  return host !== null && others.length === 0 && /[.:]/.test(host) ? host : null;
}

function isNetwork(text: string): boolean {
  const [address = '', bits] = text.split('/');
  return isIP(address) !== 0 && /^\d+$/.test(bits ?? '');
}
