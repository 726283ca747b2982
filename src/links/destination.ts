import { BlockList, isIPv4 } from 'node:net';
import { HttpOptions } from '../config/options';
import { parseUrl } from '../config/url';
import { decodedForms } from '../stores/links/nested-urls';
import { DestinationError } from './links.errors';

export const MAX_URL_LENGTH = 2048;
/** Imported ones may be longer, since they worked elsewhere. */
export const MAX_IMPORTED_URL = 8192;
const HTTP = /^https?:\/\//i;
/** `localhost:3000` and `example.com:8080/x` have no scheme, but a port. */
const OTHER_SCHEME = /^(?!https?:)[a-z][a-z0-9+.-]*:(?!\d)/i;
const WITH_HOST = /^https?:\/\/[^/?#\\]/i;
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const FORBIDDEN = /[\s\u0000-\u001f\u007f-\u009f]/;

/** Addresses that lead to this very machine, also as IPv4-mapped IPv6. */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('0.0.0.0', 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');
LOOPBACK.addAddress('::', 'ipv6');

/**
 * Throws DestinationError unless `text` is an acceptable destination (docs/contract.md#5.2).
 *
 * @param field that it stands in
 */
export function refuseDestination(
  text: string,
  http: Pick<HttpOptions, 'baseUrl'>,
  field?: string,
): void {
  if (!HTTP.test(text)) {
    throw new DestinationError(OTHER_SCHEME.test(text) ? 'other scheme' : 'no scheme', field);
  }
  const isPossible = WITH_HOST.test(text) && !FORBIDDEN.test(text) && text.isWellFormed();
  const target = isPossible ? parseUrl(text) : null;
  if (target === null || target.hostname === '') throw new DestinationError('unreadable', field);
  if (isLoop(target, new URL(http.baseUrl))) throw new DestinationError('loop', field);
}

/** The only segment of the path of a URL of our own host, decoded; null for any other text. */
export function ownSegment(text: string, http: Pick<HttpOptions, 'baseUrl'>): string | null {
  const target = parseUrl(text);
  if (target === null || !isOwnAddress(target, new URL(http.baseUrl))) return null;
  const segment = /^\/([^/]+)\/?$/.exec(target.pathname)?.[1];
  try {
    return segment === undefined ? null : decodeURIComponent(segment);
  } catch {
    return null;
  }
}

/** Whether a text says that it is a web page's address. */
export const isWebAddress = (text: string): boolean => HTTP.test(text);

const WEB_SCHEMES = ['http', 'https'];
/** Schemes that run code, show local files or speak no protocol of apps. */
const FORBIDDEN_SCHEMES = [
  ...['javascript', 'data', 'file', 'blob', 'filesystem', 'vbscript', 'about', 'view-source'],
  ...['ws', 'wss', 'ftp', 'chrome', 'content', 'resource', 'jar', 'mhtml', 'res', 'wyciwyg'],
  ...['chrome-extension', 'chrome-native', 'chrome-search', 'chrome-untrusted', 'moz-extension'],
  ...['devtools', 'livescript', 'mocha', 'ms-its', 'shell'],
];
const SCRIPTS = ['javascript', 'vbscript', 'livescript', 'mocha'];
/** Schemes whose address is one of another scheme. */
const WRAPPER =
  /^(?:feeds?|pcast|intent|googlechromes?|microsoft-edge|firefox(?:-focus)?|brave|opera)$/;
const APP_SCHEME = /^([a-z][a-z0-9+.-]*):(?=.)/i;
const INNER_SCHEME = /(?:^|[=?&;/])\s*([a-z][a-z0-9+.-]*):/gi;
/** Schemes that apps for Android open by name. */
const NAMED_SCHEME = /[#;]\s*scheme=\s*([a-z][a-z0-9+.-]*)|^android-app:\/\/[^/]*\/([^/]+)/gi;
const FALLBACK = /[#;]\s*S\.browser_fallback_url=(?!\s*https?(?::|%3a))/i;
/** `example.com:8080/x` and `localhost:3000` have a port and no scheme. */
const HOST_AND_PORT = /^(?:localhost|[^:]*\.[^:]*):\d/i;

/** Throws DestinationError unless `text` may open an app of a phone (docs/contract.md#26.3). */
export function refuseAppAddress(text: string, field?: string): void {
  const scheme = APP_SCHEME.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined || HOST_AND_PORT.test(text)) {
    throw new DestinationError('no scheme', field);
  }
  const forms = decodedForms(text);
  if (
    FORBIDDEN_SCHEMES.includes(scheme) ||
    WEB_SCHEMES.includes(scheme) ||
    forms?.some(hidesOtherScheme)
  ) {
    throw new DestinationError('other scheme', field);
  }
  if (FORBIDDEN.test(text) || !text.isWellFormed() || forms === null) {
    throw new DestinationError('unreadable', field);
  }
}

/** Whether an app's address leads to one of a scheme that is never taken. */
function hidesOtherScheme(text: string): boolean {
  const outer = (APP_SCHEME.exec(text)?.[1] ?? '').toLowerCase();
  const never = WRAPPER.test(outer) ? FORBIDDEN_SCHEMES : SCRIPTS;
  const inner = [...text.slice(outer.length + 1).matchAll(INNER_SCHEME)].map(([, name]) => name);
  if (inner.some((name = '') => never.includes(name.toLowerCase()))) return true;
  if (outer !== 'intent' && outer !== 'android-app') return false;
  const named = [...text.matchAll(NAMED_SCHEME)].map(([, first, second]) => first ?? second);
  return (
    named.some((name = '') => FORBIDDEN_SCHEMES.includes(name.toLowerCase())) || FALLBACK.test(text)
  );
}

/** A link to ourselves, or to a sub-domain of our host. */
function isLoop(target: URL, base: URL): boolean {
  const [host, ours] = [withoutDot(target.hostname), withoutDot(base.hostname)];
  return isOwnAddress(target, base) || (!isLoopbackHost(ours) && host.endsWith(`.${ours}`));
}

/**
 * Whether a URL is one of our host and port. A service on this machine's own name shares it with
 * others, so that there every loopback name counts, but our port only.
 */
function isOwnAddress(target: URL, base: URL): boolean {
  const [host, ours] = [withoutDot(target.hostname), withoutDot(base.hostname)];
  const isSameHost = isLoopbackHost(ours) ? isLoopbackHost(host) : host === ours;
  return isSameHost && effectivePort(target) === effectivePort(base);
}

/** Whether the host of a parsed URL, in which IPv4 has one spelling, is this machine. */
function isLoopbackHost(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  if (!host.startsWith('[')) return isIPv4(host) && LOOPBACK.check(host, 'ipv4');
  return LOOPBACK.check(host.slice(1, -1), 'ipv6');
}

function withoutDot(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

function effectivePort(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80');
}
