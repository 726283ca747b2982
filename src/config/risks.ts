import { isIPv4 } from 'node:net';
import { isHttps } from './url';
import type { HttpOptions } from './options';
import type { Settings } from './settings';

/** Sixteen random decimal digits almost always have at least this number of distinct digits. */
const MIN_SECRET_CHARACTERS = 6;
/** HMAC-SHA256 uses 32 bytes (RFC 7518, 3.2). */
const ENOUGH_CHARACTERS = 32;

export function riskySettings({ http, jwtSecret }: Pick<Settings, 'http' | 'jwtSecret'>): string[] {
  const risks = [secretRisk(jwtSecret), proxyRisk(http), baseUrlRisk(http), cookieRisk(http)];
  return risks.filter((line) => line !== null);
}

function secretRisk(secret: string | null): string | null {
  if (secret === null) return null;
  const advice = 'set a long random one, such as `openssl rand -base64 32` prints';
  if (new Set(secret).size < MIN_SECRET_CHARACTERS) {
    return (
      `JWT_SECRET is made of fewer than ${MIN_SECRET_CHARACTERS} different characters: whoever guesses ` +
      `it can sign in as anybody; ${advice}`
    );
  }
  if (secret.length >= ENOUGH_CHARACTERS) return null;
  return (
    `JWT_SECRET has fewer than ${ENOUGH_CHARACTERS} characters, which whoever has a token can try ` +
    `out when they are a text that people chose; ${advice}`
  );
}

function proxyRisk({ host, trustProxy }: HttpOptions): string | null {
  if (trustProxy === true) {
    return (
      `TRUST_PROXY=true believes every client what it says about its own address, so ` +
      'that no limit per address holds; name the addresses or subnets of your proxies instead'
    );
  }
  if (typeof trustProxy !== 'number' || trustProxy === 0 || isLoopback(host)) return null;
  return (
    `TRUST_PROXY=${trustProxy} with HOST=${host} also believes who connects without the proxy; ` +
    'set HOST to 127.0.0.1, or TRUST_PROXY to the addresses of your proxies'
  );
}

function baseUrlRisk({ host, baseUrl }: HttpOptions): string | null {
  if (isLoopback(host) || !isLoopback(urlHost(baseUrl))) return null;
  return (
    `BASE_URL is ${baseUrl} while HOST=${host} lets other machines in: short links and mails lead ` +
    'people there to their own machine; set BASE_URL to the address that they use, or HOST to 127.0.0.1'
  );
}

/** Browsers keep secure cookies only for https and this machine. */
export function losesCookies({ baseUrl, cookieSecure }: HttpOptions): boolean {
  return cookieSecure && !isHttps(baseUrl) && !isLoopback(urlHost(baseUrl));
}

function cookieRisk(http: HttpOptions): string | null {
  if (!losesCookies(http)) return null;
  return (
    `COOKIE_SECURE=true with BASE_URL=${http.baseUrl}: browsers keep no such cookie over plain http, so ` +
    'that nobody stays signed in; serve https and set BASE_URL to it, or set COOKIE_SECURE to false for a try'
  );
}

function urlHost(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
