import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import proxyAddr from 'proxy-addr';
import { parseUrl } from '../common/url';
import {
  BlocklistOptions,
  DataOptions,
  GeoOptions,
  GoogleOptions,
  HttpOptions,
  LogOptions,
  MailOptions,
  MetricsOptions,
  OauthOptions,
  OidcOptions,
  RedisOptions,
} from './options';
import { ConfigurationError, Environment, flag, integer, oneOf, text, url } from './readers';

/** Sign-in providers (docs/contract.md#16); each is offered only when it is configured whole. */
export function readOauth(env: Environment): OauthOptions {
  return Object.freeze({ google: google(env), oidc: oidc(env) });
}

function google(env: Environment): GoogleOptions | null {
  const [clientId, clientSecret] = [
    text(env, 'GOOGLE_CLIENT_ID'),
    text(env, 'GOOGLE_CLIENT_SECRET'),
  ];
  const authorizationUrl = url(env, 'GOOGLE_AUTHORIZATION_URL', ['http', 'https']);
  const tokenUrl = url(env, 'GOOGLE_TOKEN_URL', ['http', 'https']);
  const userinfoUrl = url(env, 'GOOGLE_USERINFO_URL', ['http', 'https']);
  if (clientId === null && clientSecret === null) return null;
  if (clientId === null)
    throw new ConfigurationError(
      'GOOGLE_CLIENT_ID',
      undefined,
      'must be set when GOOGLE_CLIENT_SECRET is',
    );
  if (clientSecret === null)
    throw new ConfigurationError(
      'GOOGLE_CLIENT_SECRET',
      undefined,
      'must be set when GOOGLE_CLIENT_ID is',
    );
  return Object.freeze({ clientId, clientSecret, authorizationUrl, tokenUrl, userinfoUrl });
}

function oidc(env: Environment): OidcOptions | null {
  const issuer = url(env, 'OIDC_ISSUER', ['http', 'https']);
  const [clientId, clientSecret] = [text(env, 'OIDC_CLIENT_ID'), text(env, 'OIDC_CLIENT_SECRET')];
  if (issuer === null && clientId === null && clientSecret === null) return null;
  if (issuer === null)
    throw new ConfigurationError('OIDC_ISSUER', undefined, 'must be set when OIDC_CLIENT_ID is');
  if (clientId === null)
    throw new ConfigurationError('OIDC_CLIENT_ID', undefined, 'must be set when OIDC_ISSUER is');
  if (clientSecret === null)
    throw new ConfigurationError(
      'OIDC_CLIENT_SECRET',
      undefined,
      'must be set when OIDC_ISSUER is',
    );
  return Object.freeze({
    issuer,
    clientId,
    clientSecret,
    name: text(env, 'OIDC_NAME') ?? 'OpenID Connect',
  });
}

/** Everything that the environment says (docs/contract.md#16), validated and frozen. */
export interface Settings {
  readonly http: HttpOptions;
  readonly data: DataOptions;
  /** MONGODB_URI, null = the embedded engine. */
  readonly mongoUri: string | null;
  /** JWT_SECRET, null = generated into DATA_DIR. */
  readonly jwtSecret: string | null;
  /** VISITOR_KEY, null = generated into DATA_DIR. */
  readonly visitorKey: string | null;
  readonly redis: RedisOptions;
  readonly mail: MailOptions;
  readonly oauth: OauthOptions;
  readonly geo: GeoOptions;
  readonly blocklist: BlocklistOptions;
  readonly log: LogOptions;
  readonly metrics: MetricsOptions;
  /** Worker processes. */
  readonly concurrency: number;
}

/** Each takes some kilobytes when it is compiled, and about 2 µs of every check. */
const MOST_BLOCKED_PATTERNS = 10_000;
const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Reads the whole environment; throws ConfigurationError at the first wrong value. */
export function readSettings(env: Environment): Settings {
  const port = integer(env, 'PORT', { min: 1, max: 65_535, fallback: 8000 });
  const baseUrl = (url(env, 'BASE_URL', ['http', 'https']) ?? `http://localhost:${port}`).replace(
    /\/+$/,
    '',
  );
  if (/[?#]/.test(baseUrl))
    throw new ConfigurationError('BASE_URL', baseUrl, 'must have no query and no fragment');
  const mongoUri = url(env, 'MONGODB_URI', ['mongodb', 'mongodb+srv'], true);
  const jwtSecret = text(env, 'JWT_SECRET');
  if (mongoUri !== null && jwtSecret === null) {
    throw new ConfigurationError('JWT_SECRET', undefined, 'must be set when MONGODB_URI is');
  }
  if (jwtSecret !== null && jwtSecret.length < 16) {
    throw new ConfigurationError('JWT_SECRET', '…', 'must have at least 16 characters');
  }
  const visitorKey = text(env, 'VISITOR_KEY');
  if (visitorKey !== null && visitorKey.length < 32) {
    throw new ConfigurationError('VISITOR_KEY', '…', 'must have at least 32 characters');
  }
  return Object.freeze({
    http: Object.freeze({
      port,
      host: text(env, 'HOST') ?? '0.0.0.0',
      baseUrl,
      trustProxy: trustProxy(env),
      cookieSecure: flag(env, 'COOKIE_SECURE', true),
      corsOrigins: origins(env, baseUrl),
    }),
    data: Object.freeze({ dir: resolve(text(env, 'DATA_DIR') ?? './data') }),
    mongoUri,
    jwtSecret,
    visitorKey,
    redis: Object.freeze({ url: url(env, 'REDIS_URL', ['redis', 'rediss'], true) }),
    mail: Object.freeze({
      smtpUrl: url(env, 'SMTP_URL', ['smtp', 'smtps'], true),
      from: text(env, 'MAIL_FROM') ?? 'Curtail <no-reply@localhost>',
    }),
    oauth: readOauth(env),
    geo: Object.freeze({ dbPath: file(env, 'GEOIP_DB') }),
    blocklist: Object.freeze({ patterns: blockedPatterns(env) }),
    log: Object.freeze({ level: oneOf(env, 'LOG_LEVEL', LEVELS, 'info') }),
    metrics: Object.freeze({ enabled: flag(env, 'METRICS', false) }),
    concurrency: integer(env, 'WEB_CONCURRENCY', { min: 1, max: 64, fallback: 1 }),
  });
}

function trustProxy(env: Environment): boolean | number | string {
  const value = text(env, 'TRUST_PROXY');
  if (value === null || value === 'false') return false;
  if (value === 'true') return true;
  if (/^\d{1,3}$/.test(value)) return Number(value);
  try {
    proxyAddr.compile(value.split(',').map((part) => part.trim()));
    return value;
  } catch {
    throw new ConfigurationError(
      'TRUST_PROXY',
      value,
      'must be a number of hops, true, false, or a comma list of addresses, subnets, loopback, linklocal, uniquelocal',
    );
  }
}

function origins(env: Environment, baseUrl: string): readonly string[] {
  const listed = text(env, 'CORS_ORIGINS') ?? baseUrl;
  return Object.freeze(
    listed.split(',').map((part) => {
      const value = part.trim();
      const url = /^https?:\/\//i.test(value) ? parseUrl(value) : null;
      if (url === null) {
        throw new ConfigurationError(
          'CORS_ORIGINS',
          listed,
          'must be a comma list of http(s) origins',
        );
      }
      return url.origin;
    }),
  );
}

/** One a line; `#` starts a comment line. */
function blockedPatterns(env: Environment): readonly string[] {
  const path = file(env, 'BLOCKED_URLS_FILE');
  if (path === null) return [];
  const lines = readFileSync(path, 'utf8').split(/\r?\n/);
  const patterns = lines
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (patterns.length > MOST_BLOCKED_PATTERNS) {
    const allowed = `may hold ${MOST_BLOCKED_PATTERNS} lines, more cannot be tried in time`;
    throw new ConfigurationError('BLOCKED_URLS_FILE', path, allowed);
  }
  return Object.freeze(patterns);
}

function file(env: Environment, name: string): string | null {
  const value = text(env, name);
  if (value === null) return null;
  const path = resolve(value);
  if (!existsSync(path) || !statSync(path).isFile()) {
    throw new ConfigurationError(name, value, 'must name a file that exists');
  }
  return path;
}
