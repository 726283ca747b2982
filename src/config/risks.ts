import { isIPv4 } from 'node:net';
import { isHttps } from './url';
import type { HttpOptions } from './options';
import type { Settings } from './settings';

/** Minimum number of different characters. 16 random decimal digits almost always have more. */
const MIN_SECRET_CHARACTERS = 6;
/** HMAC-SHA256 needs a key of at least 32 bytes (RFC 7518, 3.2). */
const ENOUGH_CHARACTERS = 32;

type Risky = Pick<Settings, 'http' | 'jwtSecret' | 'mongoUri'>;

export function riskySettings({ http, jwtSecret, mongoUri }: Risky): string[] {
  const secret = jwtSecret === null ? ownSecretRisk(mongoUri) : secretRisk(jwtSecret);
  const risks = [secret, proxyRisk(http), baseUrlRisk(http), cookieRisk(http)];
  return risks.filter((line) => line !== null);
}

/** The embedded database belongs to one machine. */
function ownSecretRisk(mongoUri: string | null): string | null {
  if (mongoUri === null) return null;
  return (
    'JWT_SECRET is unset: this machine uses DATA_DIR/jwt-secret; if several machines use this ' +
    'MONGODB_URI, set the same JWT_SECRET on each, or users will not stay signed in'
  );
}

function secretRisk(secret: string): string | null {
  const advice = 'set a long random value, for example from `openssl rand -base64 32`';
  if (new Set(secret).size < MIN_SECRET_CHARACTERS) {
    return (
      `JWT_SECRET has fewer than ${MIN_SECRET_CHARACTERS} different characters: an attacker who guesses ` +
      `it can sign in as any account; ${advice}`
    );
  }
  if (secret.length >= ENOUGH_CHARACTERS) return null;
  return (
    `JWT_SECRET has fewer than ${ENOUGH_CHARACTERS} characters: if a person chose it, an attacker with a ` +
    `token can guess it; ${advice}`
  );
}

function proxyRisk({ host, trustProxy }: HttpOptions): string | null {
  if (trustProxy === true) {
    return (
      `TRUST_PROXY=true lets every client choose its own address, so per-address limits have no ` +
      'effect; set it to the addresses or subnets of your proxies'
    );
  }
  if (typeof trustProxy !== 'number' || trustProxy === 0 || isLoopback(host)) return null;
  return (
    `TRUST_PROXY=${trustProxy} with HOST=${host} also trusts clients that connect without the proxy; ` +
    'set HOST to 127.0.0.1, or TRUST_PROXY to the addresses of your proxies'
  );
}

function baseUrlRisk({ host, baseUrl }: HttpOptions): string | null {
  if (isLoopback(host) || !isLoopback(urlHost(baseUrl))) return null;
  return (
    `BASE_URL is ${baseUrl} while HOST=${host} accepts other machines, where short links and emails ` +
    'lead to the wrong machine; set BASE_URL to the address that visitors use, or HOST to 127.0.0.1'
  );
}

/** Browsers keep secure cookies only over https and for the local machine. */
export function losesCookies({ baseUrl, cookieSecure }: HttpOptions): boolean {
  return cookieSecure && !isHttps(baseUrl) && !isLoopback(urlHost(baseUrl));
}

function cookieRisk(http: HttpOptions): string | null {
  if (!losesCookies(http)) return null;
  return (
    `COOKIE_SECURE=true with BASE_URL=${http.baseUrl}: browsers do not keep secure cookies over plain http, so ` +
    'users will not stay signed in; serve https and set BASE_URL to it, or set COOKIE_SECURE=false for a test'
  );
}

function urlHost(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
