import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { type LimitChanges, parseLimits } from './limits-file';
import { adminEmails, mailFrom, registration } from './mail-values';
import {
  dnsServers,
  domainRecheck,
  host,
  listenAddress,
  networks,
  publicAddresses,
  trustProxy,
} from './network-values';
import { readPatternsFile } from './patterns-file';
import { clickHouseUrl, mongoUri, redisUrl, smtpUrl } from './server-urls';
import { PROVIDER_GROUPS, PROVIDER_SECRETS, PROVIDER_VARIABLES } from './sign-in-providers';
import { checkFile, MAX_SECRET_BYTES, readTextFile } from './text-file';
import { abuseContact, baseUrl, contact, homeUrl, origins, redirectUrl, webUrl } from './web-urls';

const MAX_LIMITS_FILE_BYTES = 16 * 1024 * 1024;
const MAX_APP_LINKS_BYTES = 16 * 1024;
const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const SYNC_MODES = ['interval', 'always', 'never'] as const;
const LOG_FORMATS = ['json', 'pretty'] as const;

const text = z.string();

const integer = (min: number, max: number) =>
  text
    .refine((value) => /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max, {
      error: `must be an integer from ${min} to ${max}`,
    })
    .transform(Number);

const flag = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform((value) => value === 'true');

const secret = (length: number) =>
  text.min(length, { error: `must have at least ${length} characters` });

const readBy = <T>(read: (value: string) => T) =>
  text.transform((value, context): T => {
    try {
      return read(value);
    } catch (error) {
      context.addIssue(error instanceof Error ? error.message : String(error));
      return z.NEVER;
    }
  });

const readableFile = readBy((value) => {
  const path = resolve(value);
  checkFile(path);
  return path;
});

const patternsFile = readBy((value) => {
  const path = resolve(value);
  readPatternsFile(path);
  return path;
});

const limits = readBy((path): LimitChanges =>
  parseLimits(readTextFile(resolve(path), MAX_LIMITS_FILE_BYTES)),
);

const jsonFile = (kind: 'an array' | 'an object') =>
  readBy((path): string => {
    const content = readTextFile(resolve(path), MAX_APP_LINKS_BYTES);
    const found = parsedJson(content);
    const isFit = typeof found === 'object' && found !== null;
    if (isFit && Array.isArray(found) === (kind === 'an array')) return content;
    throw new Error(`must be JSON: ${kind}`);
  });

function parsedJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch (error) {
    throw new Error('must be JSON', { cause: error });
  }
}

const siteName = text.refine((value) => value.length <= 60 && !/[\p{C}\p{Zl}\p{Zp}]/u.test(value), {
  error: 'must be a name of at most 60 characters, on one line',
});

const optional = <T extends z.ZodType>(schema: T) =>
  schema.optional().transform((value) => value ?? null);

/** Errors and logs never quote these values. Each can come from a file (MONGODB_URI_FILE etc.). */
const secrets = {
  MONGODB_URI: optional(mongoUri),
  JWT_SECRET: optional(secret(16)),
  VISITOR_KEY: optional(secret(32)),
  REDIS_URL: optional(redisUrl),
  SMTP_URL: optional(smtpUrl),
  CLICKHOUSE_URL: optional(clickHouseUrl),
  CLICKHOUSE_PASSWORD: optional(text),
  ...PROVIDER_SECRETS,
};

const fileVariable = (name: string) => `${name}_FILE`;

const variables = z
  .object({
    ...secrets,
    PORT: integer(1, 65_535).default(8000),
    HOST: host.default('0.0.0.0'),
    BASE_URL: optional(baseUrl),
    TRUST_PROXY: trustProxy.default(false),
    COOKIE_SECURE: flag.default(true),
    CORS_ORIGINS: optional(origins),
    JOURNAL_SYNC: z
      .enum(SYNC_MODES, { error: `must be one of ${SYNC_MODES.join(', ')}` })
      .default('interval'),
    DATA_DIR: text.default('./data').transform((value) => resolve(value)),
    MAIL_FROM: optional(mailFrom),
    ...PROVIDER_VARIABLES,
    GEOIP_DB: optional(readableFile),
    DEFAULT_STATS_SCOPE: optional(z.enum(['all', 'anon'], { error: 'must be all or anon' })),
    BLOCKED_HOSTS_FILE: optional(readableFile),
    BLOCKED_URLS_FILE: optional(patternsFile),
    LOG_LEVEL: text
      .toLowerCase()
      .pipe(z.enum(LEVELS, { error: `must be one of ${LEVELS.join(', ')}` }))
      .default('info'),
    LOG_FORMAT: optional(
      z.enum(LOG_FORMATS, { error: `must be one of ${LOG_FORMATS.join(', ')}` }),
    ),
    METRICS: flag.default(false),
    OUTBOUND_ALLOWED_NETWORKS: networks.default([]),
    DNS_SERVERS: optional(dnsServers),
    PUBLIC_ADDRESSES: publicAddresses.default([]),
    DOMAIN_RECHECK: domainRecheck.prefault('1d/7d'),
    TLS_ASK_ADDRESS: optional(listenAddress),
    SITE_NAME: siteName.default('Curtail'),
    HOME_URL: homeUrl.default('/'),
    PASSWORD_SIGN_IN: flag.default(true),
    ROOT_REDIRECT: optional(redirectUrl),
    NOT_FOUND_REDIRECT: optional(redirectUrl),
    REGISTRATION: registration.default('open'),
    ADMIN_EMAILS: adminEmails.default([]),
    CASE_INSENSITIVE_ALIASES: flag.default(false),
    ANONYMOUS_LINKS: flag.default(true),
    LIMITS_FILE: limits.default(new Map()),
    SECURITY_CONTACT: optional(contact),
    APP_LINKS_APPLE_FILE: optional(jsonFile('an object')),
    APP_LINKS_ANDROID_FILE: optional(jsonFile('an array')),
    IMPRINT_URL: optional(webUrl),
    TERMS_URL: optional(webUrl),
    PRIVACY_URL: optional(webUrl),
    ABUSE_CONTACT: optional(abuseContact),
    CLICKHOUSE_USER: optional(text),
    CLICKHOUSE_CLUSTER: optional(text),
    IMPORT_MAX_BYTES: integer(65_536, 1_099_511_627_776).default(268_435_456),
    IMPORT_MAX_ROWS: integer(100, 1_000_000_000).default(1_000_000),
    STATISTICS_MEMORY_MB: integer(64, 65_536).default(512),
    LINK_CACHE_MB: integer(1, 4096).default(96),
    WEB_CONCURRENCY: integer(1, 64).default(1),
    FAST_PATH: flag.default(true),
    STRICT_HOSTS: flag.default(false),
  })
  .superRefine((env, context) => {
    const inFile = (name: string) => (name in secrets ? `, or ${fileVariable(name)}` : '');
    const together = (name: keyof typeof env, sibling: keyof typeof env): void => {
      if (env[name] !== null || env[sibling] === null) return;
      context.addIssue({
        code: 'custom',
        path: [name],
        message: `must be set when ${sibling} is${inFile(name)}`,
      });
    };
    for (const name of ['CLICKHOUSE_USER', 'CLICKHOUSE_PASSWORD', 'CLICKHOUSE_CLUSTER'] as const) {
      together('CLICKHOUSE_URL', name);
    }
    const providers = PROVIDER_GROUPS.map(([first]) => first).filter((name) => name !== undefined);
    if (!env.PASSWORD_SIGN_IN && providers.every((name) => env[name] === null)) {
      const message = `needs a sign-in provider: set ${providers.join(' or ')}`;
      context.addIssue({ code: 'custom', path: ['PASSWORD_SIGN_IN'], message });
    }
    for (const group of PROVIDER_GROUPS) {
      for (const name of group) group.forEach((sibling) => together(name, sibling));
    }
  });

const SECRETS: ReadonlySet<string> = new Set(Object.keys(secrets));
const SECRET_FILE_VARIABLES: ReadonlySet<string> = new Set([...SECRETS].map(fileVariable));

export const VARIABLE_NAMES: readonly string[] = [
  ...Object.keys(variables.shape),
  ...SECRET_FILE_VARIABLES,
].sort();

export type Environment = Readonly<Record<string, string | undefined>>;

export class ConfigurationError extends Error {
  constructor(name: string, value: string | undefined, allowed: string) {
    const shown = value === undefined ? '' : `=${JSON.stringify(formatSetting(name, value))}`;
    super(`${name}${shown}: ${allowed}`);
    this.name = 'ConfigurationError';
  }
}

function formatSetting(name: string, value: string): string {
  // An operator may have set the `_FILE` variable to the secret instead of a path.
  if (SECRETS.has(name) || (SECRET_FILE_VARIABLES.has(name) && !isPath(value))) return '…';
  return value.replace(/(?<=:\/\/).*@/s, '…@');
}

function isPath(value: string): boolean {
  const folder = dirname(value);
  return existsSync(value) || (folder.length > 1 && existsSync(folder));
}

/** @throws ConfigurationError for the first invalid value */
export function parseEnvironment(env: Environment): z.output<typeof variables> {
  return parseBy(variables, env);
}

export function parseMongoUri({ MONGODB_URI, MONGODB_URI_FILE }: Environment): string | null {
  const schema = z.object({ MONGODB_URI: secrets.MONGODB_URI });
  return parseBy(schema, { MONGODB_URI, MONGODB_URI_FILE }).MONGODB_URI;
}

function parseBy<T>(schema: z.ZodType<T>, env: Environment): T {
  const set = new Map<string, string>();
  for (const [name, value = ''] of Object.entries(env)) {
    // Blank values count as unset.
    if (value.trim() !== '') set.set(name, value.trim());
  }
  const fromFiles = secretsFromFiles(set);
  const result = schema.safeParse({ ...Object.fromEntries(set), ...fromFiles });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const name = String(issue?.path[0]);
  const source = name in fromFiles ? fileVariable(name) : name;
  throw new ConfigurationError(source, set.get(source), issue?.message ?? 'is invalid');
}

function secretsFromFiles(set: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of SECRETS) {
    const [source, path] = [fileVariable(name), set.get(fileVariable(name))];
    if (path === undefined) continue;
    if (set.has(name)) {
      throw new ConfigurationError(source, path, `is set together with ${name}: unset one of them`);
    }
    try {
      found[name] = readSecretFile(path);
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error);
      throw new ConfigurationError(source, path, fault);
    }
  }
  return found;
}

function readSecretFile(path: string): string {
  const value = readTextFile(resolve(path), MAX_SECRET_BYTES).trim();
  if (value === '') throw new Error('is empty');
  return value;
}
