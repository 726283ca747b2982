import { BlockList, isIPv4 } from 'node:net';
import { HttpOptions } from '../../config/options';
import { parseUrl } from '../../config/url';
import { decodedForms } from '../../stores/links/nested-urls';
import { DestinationError } from './links.errors';

export const MAX_URL_LENGTH = 2048;
/** Imported destinations may be longer, because they worked in the other service. */
export const MAX_IMPORTED_URL = 8192;
const HTTP = /^https?:\/\//i;
/** `localhost:3000` and `example.com:8080/x` have a port, but no scheme. */
const OTHER_SCHEME = /^(?!https?:)[a-z][a-z0-9+.-]*:(?!\d)/i;
const WITH_HOST = /^https?:\/\/[^/?#\\]/i;
// eslint-disable-next-line no-control-regex -- the expression must find control characters
const FORBIDDEN = /[\s\u0000-\u001f\u007f-\u009f]/;

/** Also matches IPv4-mapped IPv6 addresses. */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('0.0.0.0', 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');
LOOPBACK.addAddress('::', 'ipv6');

/** @throws DestinationError unless the destination is acceptable (docs/contract.md#5.2) */
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

/** Returns the decoded path of a URL on our host if the path has one segment, otherwise null. */
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

export const isWebAddress = (text: string): boolean => HTTP.test(text);

const WEB_SCHEMES = ['http', 'https'];
/** Schemes that run code, show local files or do not open an app. */
const FORBIDDEN_SCHEMES = [
  ...['javascript', 'data', 'file', 'blob', 'filesystem', 'vbscript', 'about', 'view-source'],
  ...['ws', 'wss', 'ftp', 'chrome', 'content', 'resource', 'jar', 'mhtml', 'res', 'wyciwyg'],
  ...['chrome-extension', 'chrome-native', 'chrome-search', 'chrome-untrusted', 'moz-extension'],
  ...['devtools', 'livescript', 'mocha', 'ms-its', 'shell'],
];
const SCRIPTS = ['javascript', 'vbscript', 'livescript', 'mocha'];
/** Schemes that wrap an address that has another scheme. */
const WRAPPER =
  /^(?:feeds?|pcast|intent|googlechromes?|microsoft-edge|firefox(?:-focus)?|brave|opera)$/;
const APP_SCHEME = /^([a-z][a-z0-9+.-]*):(?=.)/i;
const INNER_SCHEME = /(?:^|[=?&;/])\s*([a-z][a-z0-9+.-]*):/gi;
/** Target schemes named inside Android addresses. */
const NAMED_SCHEME = /[#;]\s*scheme=\s*([a-z][a-z0-9+.-]*)|^android-app:\/\/[^/]*\/([^/]+)/gi;
const FALLBACK = /[#;]\s*S\.browser_fallback_url=(?!\s*https?(?::|%3a))/i;
const HOST_AND_PORT = /^(?:localhost|[^:]*\.[^:]*):\d/i;

/** @throws DestinationError unless `text` may open a phone app (docs/contract.md#26.3) */
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

/** Whether an app address wraps a forbidden scheme. */
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

/** Whether the target is our host or one of its subdomains. */
function isLoop(target: URL, base: URL): boolean {
  const [host, ours] = [withoutDot(target.hostname), withoutDot(base.hostname)];
  return isOwnAddress(target, base) || (!isLoopbackHost(ours) && host.endsWith(`.${ours}`));
}

/** If the base URL is a loopback address, every loopback name with our port matches. */
function isOwnAddress(target: URL, base: URL): boolean {
  const [host, ours] = [withoutDot(target.hostname), withoutDot(base.hostname)];
  const isSameHost = isLoopbackHost(ours) ? isLoopbackHost(host) : host === ours;
  return isSameHost && effectivePort(target) === effectivePort(base);
}

/** The host must come from a parsed URL, which normalises IPv4 addresses. */
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
