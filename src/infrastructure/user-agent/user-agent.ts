import Bowser from 'bowser';
import { LRUCache } from 'lru-cache';

/** Maximum characters to examine; any later text contains no useful information. */
const MAX_AGENT_CHARACTERS = 512;

/** Browsers available on both desktops and phones; all other names imply the operating system. */
const SHARED_FAMILIES = new Set(['Chrome', 'Edge', 'Firefox', 'Opera', 'Safari']);
const MOBILE_SYSTEMS = new Set(['Android', 'iOS']);

export type Device = 'mobile' | 'tablet' | 'desktop' | 'unknown';

/**
 * An iPad that requests desktop pages: a Mac sends neither `Mobile/`, words such as `CriOS` and
 * `ios`, nor the names of browsers without a Mac version.
 */
const IPAD_AS_MAC =
  /^[^)]*\(Macintosh;.*\b(?:Mobile\/|[A-Za-z]*(?:iOS|IOS)\b|ios\b|iPad|(?:OPT|OPX|GSA|Focus|Klar|Coast)\/)/;

const DESKTOPS = new Set(['Windows', 'Mac OS X', 'Linux', 'Chrome OS', 'Ubuntu', 'Fedora']);
const PHONES = new Set(['iOS', 'Android', 'Windows Phone', 'KaiOS', 'Firefox OS']);

/** Devices as defined in docs/contract.md#8.4; the first match applies. */
function detectDevice(userAgent: string, os: string | null): Device {
  const desktop = os !== null && DESKTOPS.has(os);
  if (isTablet(userAgent, os, desktop)) return 'tablet';
  if (os !== null && PHONES.has(os)) return 'mobile';
  if (desktop) return 'desktop';
  return isGenericPhone(userAgent) ? 'mobile' : 'unknown';
}

function isTablet(userAgent: string, os: string | null, desktop: boolean): boolean {
  if (os === 'iOS') return /\biPad/.test(userAgent) || IPAD_AS_MAC.test(userAgent);
  if (os === 'Android') return !userAgent.includes('Mobile');
  // Windows identifies desktops with a touch screen as "Tablet PC".
  return !desktop && os !== 'Windows Phone' && /\bTablet\b/.test(userAgent);
}

function isGenericPhone(userAgent: string): boolean {
  return /\b(?:Mobile|Mobi|Smartphone|Phone|MIDP|Opera Mini)\b/i.test(userAgent);
}

/** Names as in docs/contract.md#8.4; null if the header does not contain them. */
export interface Agent {
  browser: string | null;
  os: string | null;
  device: Device;
}

const UNKNOWN_AGENT: Agent = { browser: null, os: null, device: 'unknown' };
const BROWSERS = new Set<string>(Object.values(Bowser.BROWSER_MAP));
const SYSTEMS = new Set<string>(Object.values(Bowser.OS_MAP));
const BROWSER_FAMILIES: Readonly<Record<string, string>> = {
  'Microsoft Edge': 'Edge',
  'Samsung Internet for Android': 'Samsung Internet',
};

const agents = new LRUCache<string, Agent>({ max: 5000 });

export function parseUserAgent(userAgent: string): Agent {
  if (userAgent.length > MAX_AGENT_CHARACTERS)
    return parseAgent(userAgent.slice(0, MAX_AGENT_CHARACTERS));
  let agent = agents.get(userAgent);
  if (agent === undefined) {
    agent = parseAgent(userAgent);
    agents.set(userAgent, agent);
  }
  return agent;
}

function parseAgent(userAgent: string): Agent {
  if (userAgent === '') return UNKNOWN_AGENT;
  const parser = Bowser.getParser(userAgent, true);
  const os = systemFamily(userAgent, parser.getOSName());
  const browser = browserFamily(parser.getBrowserName(), os);
  return { browser, os, device: detectDevice(userAgent, os) };
}

function browserFamily(name: string, os: string | null): string | null {
  // If the parser recognises no browser, it returns the first word, which clients can invent.
  if (!BROWSERS.has(name)) return null;
  const family = BROWSER_FAMILIES[name] ?? name;
  return os !== null && MOBILE_SYSTEMS.has(os) ? mobileFamily(family) : family;
}

function systemFamily(userAgent: string, name: string): string | null {
  if (/\bKAIOS\//i.test(userAgent)) return 'KaiOS';
  if (IPAD_AS_MAC.test(userAgent)) return 'iOS';
  if (name === 'macOS') return 'Mac OS X';
  if (name === 'Linux') return /\b(Ubuntu|Fedora)\b/.exec(userAgent)?.[1] ?? 'Linux';
  if (SYSTEMS.has(name)) return name;
  // Firefox OS sends the device type instead of the system's name.
  return /^Mozilla\/5\.0 \((?:Mobile|Tablet);.*\bGecko\/.*\bFirefox\//.test(userAgent)
    ? 'Firefox OS'
    : null;
}

/** Returns, for example, `Mobile Chrome` for `Chrome` (docs/contract.md#8.4). */
function mobileFamily(browser: string): string {
  return SHARED_FAMILIES.has(browser) ? `Mobile ${browser}` : browser;
}
