import type { Device } from '../ledger/click';

const DESKTOPS = new Set(['Windows', 'Mac OS X', 'Linux', 'Chrome OS', 'Ubuntu', 'Fedora']);
const PHONES = new Set(['iOS', 'Android', 'Windows Phone', 'KaiOS', 'Firefox OS']);

/** The device table of contract 8.4: the first row that fits. */
export function deviceOf(userAgent: string, os: string | null): Device {
  const desktop = os !== null && DESKTOPS.has(os);
  if (isTablet(userAgent, os, desktop)) return 'tablet';
  if (os !== null && PHONES.has(os)) return 'mobile';
  if (desktop) return 'desktop';
  return isGenericPhone(userAgent) ? 'mobile' : 'unknown';
}

function isTablet(userAgent: string, os: string | null, desktop: boolean): boolean {
  if (os === 'iOS') return /\biPad/.test(userAgent);
  if (os === 'Android') return !userAgent.includes('Mobile');
  // Windows calls desktops with a touch screen "Tablet PC".
  return !desktop && os !== 'Windows Phone' && /\bTablet\b/.test(userAgent);
}

function isGenericPhone(userAgent: string): boolean {
  return /\b(?:Mobile|Mobi|Smartphone|Phone|MIDP|Opera Mini)\b/i.test(userAgent);
}
