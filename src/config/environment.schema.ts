import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { domainToASCII } from 'node:url';
import proxyAddr from 'proxy-addr';
import { z } from 'zod';
import { parseUrl } from '../common/url';
import { type LimitChanges, readLimitsFile } from './limits-file';
import type { Registration } from './options';

/** Each takes some kilobytes when it is compiled, and about 2 µs of every check. */
const MOST_BLOCKED_PATTERNS = 10_000;
const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const SYNC_MODES = ['interval', 'always', 'never'] as const;
const FORMATS = ['json', 'pretty'] as const;

const text = z.string();

const integer = (min: number, max: number) =>
  text
    .refine((value) => /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max, {
      error: `must be an integer from ${min} to ${max}`,
    })
    .transform(Number);

const flag = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform((value) => value === 'true');

const secret = (length: number) =>
  text.min(length, { error: `must have at least ${length} characters` });

const url = (...schemes: string[]) =>
  text.refine((value) => isUrl(value, schemes), {
    error: `must be a URL starting with ${schemes.map((s) => `${s}://`).join(' or ')}`,
  });

const webUrl = url('http', 'https');

function isUrl(value: string, schemes: readonly string[]): boolean {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\/./i.exec(value)?.[1]?.toLowerCase();
  if (scheme === undefined || !schemes.includes(scheme)) return false;
  // Several hosts, as a replica set has them, make no URL for the parser.
  return scheme === 'mongodb' || parseUrl(value) !== null;
}

const file = text
  .transform((value) => resolve(value))
  .refine((path) => existsSync(path) && statSync(path).isFile(), {
    error: 'must name a file that exists',
  });

const trustProxy = text.transform((value, context): boolean | number | string => {
  if (value === 'true' || value === 'false') return value === 'true';
  if (/^\d{1,3}$/.test(value)) return Number(value);
  try {
    proxyAddr.compile(value.split(',').map((part) => part.trim()));
    return value;
  } catch {
    context.addIssue(
      'must be a number of hops, true, false, or a comma list of addresses, subnets, loopback, linklocal, uniquelocal',
    );
    return z.NEVER;
  }
});

const ORIGIN_SCHEME = /^(?:https?|(?:chrome|moz|safari-web)-extension):\/\//i;

/** Browser extensions have origins too, which the URL parser calls `null`. */
const origins = text.transform((list, context): readonly string[] => {
  const urls = list.split(',').map((part) => {
    const url = ORIGIN_SCHEME.test(part.trim()) ? parseUrl(part.trim()) : null;
    return url === null || url.host === '' ? null : url;
  });
  const found = urls.filter((each) => each !== null);
  if (found.length < urls.length) {
    context.addIssue('must be a comma list of origins: http(s)://…, chrome-extension://…, …');
  }
  return Object.freeze(found.map(({ protocol, host }) => `${protocol}//${host.toLowerCase()}`));
});

/** One a line; `#` starts a comment line. */
const blockedPatterns = file.transform((path, context): readonly string[] => {
  const patterns = readFileSync(path, 'utf8')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (patterns.length > MOST_BLOCKED_PATTERNS) {
    context.addIssue(`may hold ${MOST_BLOCKED_PATTERNS} lines, more cannot be tried in time`);
  }
  return Object.freeze(patterns);
});

const siteName = text.refine((value) => value.length <= 60 && !/[\p{C}\p{Zl}\p{Zp}]/u.test(value), {
  error: 'must be a name of at most 60 characters, in one line',
});

const homeUrl = text.refine(
  (value) => /^\/(?![/\\])/.test(value) || isUrl(value, ['http', 'https']),
  { error: 'must be a path starting with / or a URL starting with http:// or https://' },
);

const registration = text.transform((value, context): Registration => {
  if (value === 'open' || value === 'closed') return value;
  const domains = value.split(',').map((part) => mailDomain(part.trim()));
  const found = domains.filter((domain) => domain !== null);
  if (found.length < domains.length) {
    context.addIssue('must be open, closed, or a comma list of mail domains such as example.com');
  }
  return Object.freeze(found);
});

/** The form in which the domains of accounts are stored: that of the DNS. */
function mailDomain(text: string): string | null {
  const domain = /[\s/:@?#\\]/.test(text) ? '' : domainToASCII(text);
  return /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(domain) ? domain : null;
}

const limits = file.transform((path, context): LimitChanges => {
  try {
    return readLimitsFile(path);
  } catch (error) {
    context.addIssue(error instanceof Error ? error.message : String(error));
    return z.NEVER;
  }
});
/** Whom security.txt names (RFC 9116): a URI, or a mail address, of which one is made. */
const contact = text
  .transform((value) => (/^[^\s:/@]+@[^\s:/@]+$/.test(value) ? `mailto:${value}` : value))
  .refine((value) => /^(?:mailto:\S+@\S+|tel:\+?[\d().-]+|https:\/\/\S+)$/i.test(value), {
    error: 'must be a mail address or a mailto:, https: or tel: URI',
  });

/** Unset is null. */
const optional = <T extends z.ZodType>(schema: T) =>
  schema.optional().transform((value) => value ?? null);

/** Every variable that an operator may set (docs/contract.md#16). */
const variables = z
  .object({
    PORT: integer(1, 65_535).default(8000),
    HOST: text.default('0.0.0.0'),
    BASE_URL: optional(
      webUrl
        .transform((value) => value.replace(/\/+$/, ''))
        .refine((value) => !/[?#]/.test(value), { error: 'must have no query and no fragment' }),
    ),
    TRUST_PROXY: trustProxy.default(false),
    COOKIE_SECURE: flag.default(true),
    CORS_ORIGINS: optional(origins),
    JOURNAL_SYNC: z
      .enum(SYNC_MODES, { error: `must be one of ${SYNC_MODES.join(', ')}` })
      .default('interval'),
    DATA_DIR: text.default('./data').transform((value) => resolve(value)),
    MONGODB_URI: optional(url('mongodb', 'mongodb+srv')),
    JWT_SECRET: optional(secret(16)),
    VISITOR_KEY: optional(secret(32)),
    REDIS_URL: optional(url('redis', 'rediss')),
    SMTP_URL: optional(url('smtp', 'smtps')),
    MAIL_FROM: optional(text),
    GOOGLE_CLIENT_ID: optional(text),
    GOOGLE_CLIENT_SECRET: optional(text),
    GOOGLE_AUTHORIZATION_URL: optional(webUrl),
    GOOGLE_TOKEN_URL: optional(webUrl),
    GOOGLE_USERINFO_URL: optional(webUrl),
    OIDC_ISSUER: optional(webUrl),
    OIDC_CLIENT_ID: optional(text),
    OIDC_CLIENT_SECRET: optional(text),
    OIDC_NAME: text.default('OpenID Connect'),
    GEOIP_DB: optional(file),
    DEFAULT_STATS_SCOPE: optional(z.enum(['all', 'anon'], { error: 'must be all or anon' })),
    BLOCKED_URLS_FILE: blockedPatterns.default([]),
    LOG_LEVEL: text
      .toLowerCase()
      .pipe(z.enum(LEVELS, { error: `must be one of ${LEVELS.join(', ')}` }))
      .default('info'),
    LOG_FORMAT: optional(z.enum(FORMATS, { error: `must be one of ${FORMATS.join(', ')}` })),
    METRICS: flag.default(false),
    SITE_NAME: siteName.default('Curtail'),
    HOME_URL: homeUrl.default('/'),
    REGISTRATION: registration.default('open'),
    ANONYMOUS_LINKS: flag.default(true),
    LIMITS_FILE: limits.default(new Map()),
    SECURITY_CONTACT: optional(contact),
    STATISTICS_MEMORY_MB: integer(64, 65_536).default(512),
    WEB_CONCURRENCY: integer(1, 64).default(1),
  })
  .superRefine((env, context) => {
    const together = (name: keyof typeof env, other: keyof typeof env): void => {
      if (env[name] !== null || env[other] === null) return;
      context.addIssue({ code: 'custom', path: [name], message: `must be set when ${other} is` });
    };
    together('JWT_SECRET', 'MONGODB_URI');
    together('GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET');
    together('GOOGLE_CLIENT_SECRET', 'GOOGLE_CLIENT_ID');
    together('OIDC_ISSUER', 'OIDC_CLIENT_ID');
    together('OIDC_ISSUER', 'OIDC_CLIENT_SECRET');
    together('OIDC_CLIENT_ID', 'OIDC_ISSUER');
    together('OIDC_CLIENT_SECRET', 'OIDC_ISSUER');
  });

/** Everything that the environment may say. */
export const VARIABLE_NAMES: readonly string[] = Object.keys(variables.shape).sort();

/** Refusals say which of these is wrong, never its value: passwords may be in it. */
const SECRET: ReadonlySet<string> = new Set([
  'MONGODB_URI',
  'JWT_SECRET',
  'VISITOR_KEY',
  'REDIS_URL',
  'SMTP_URL',
  'GOOGLE_CLIENT_SECRET',
  'OIDC_CLIENT_SECRET',
]);

export type Environment = Readonly<Record<string, string | undefined>>;

/** A wrong environment value: one line that names variable, value and what is allowed. */
export class ConfigurationError extends Error {
  constructor(name: string, value: string | undefined, allowed: string) {
    const shown = SECRET.has(name) ? '"…"' : JSON.stringify(value);
    super(value === undefined ? `${name}: ${allowed}` : `${name}=${shown}: ${allowed}`);
    this.name = 'ConfigurationError';
  }
}

/** What the environment says, checked; throws ConfigurationError at the first wrong value. */
export function parseEnvironment(env: Environment): z.output<typeof variables> {
  const set = new Map<string, string>();
  for (const [name, value = ''] of Object.entries(env)) {
    // An empty or blank value counts as unset.
    if (value.trim() !== '') set.set(name, value.trim());
  }
  const result = variables.safeParse(Object.fromEntries(set));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const name = String(issue?.path[0]);
  throw new ConfigurationError(name, set.get(name), issue?.message ?? 'is wrong');
}

/** What the primary knows only once it runs, handed to web workers. */
export const runtimeSchema = z.object({ mongoUri: text, jwtSecret: text });
export type Runtime = Readonly<z.output<typeof runtimeSchema>>;

/** What the primary hands to the recorder process. */
export const recorderSchema = z.object({
  mongo: z.object({ uri: text, embedded: z.boolean() }),
  dataDir: text,
  /** GEOIP_DB; null for the bundled database. */
  geoipDb: text.nullable(),
  /** VISITOR_KEY, or what was generated in its place. */
  visitorSecret: text,
});
export type RecorderSettings = Readonly<z.output<typeof recorderSchema>>;

/** What the primary hands to the statistics process. */
export const statisticsSchema = z.object({
  mongoUri: text,
  /** STATISTICS_MEMORY_MB. */
  memoryMb: z.number(),
  /** Threads that read and count, each a range of visitors. */
  threads: z.number(),
  /** What the process leaves of the clicks that it holds to the next one. */
  snapshot: z.object({
    folder: text,
    /** How often it is looked whether there are clicks to be saved while the process lives. */
    everyMs: z.number(),
    /** So many that are not saved yet are worth it. */
    worthClicks: z.number(),
  }),
});
export type StatisticsSettings = Readonly<z.output<typeof statisticsSchema>>;
