import type { ClickHouseOptions } from '../engines/click-house/click-house';
import { type Environment, parseEnvironment } from './environment.schema';
import type { LimitChanges } from './limits-file';
import type {
  AdministrationOptions,
  AliasOptions,
  AppLinksOptions,
  BlocklistOptions,
  DataOptions,
  DomainOptions,
  FooterOptions,
  GeoOptions,
  HttpOptions,
  ImportFileOptions,
  LogOptions,
  MailOptions,
  MetricsOptions,
  OauthOptions,
  OutboundOptions,
  RedisOptions,
  SiteOptions,
  SecurityContactOptions,
  LinkCacheOptions,
  StatisticsOptions,
} from './options';
import { signInProviders } from './sign-in-providers';

export interface Settings {
  readonly http: HttpOptions;
  readonly data: DataOptions;
  /** Null for the embedded engine. */
  readonly mongoUri: string | null;
  /** Null if generated into DATA_DIR. */
  readonly jwtSecret: string | null;
  /** Null if generated into DATA_DIR. */
  readonly visitorKey: string | null;
  readonly clickHouse: ClickHouseOptions | null;
  readonly redis: RedisOptions;
  readonly mail: MailOptions;
  readonly oauth: OauthOptions;
  readonly geo: GeoOptions;
  readonly statistics: StatisticsOptions;
  readonly aliases: AliasOptions;
  readonly linkCache: LinkCacheOptions;
  readonly blocklist: BlocklistOptions;
  readonly imports: ImportFileOptions;
  readonly log: LogOptions;
  readonly metrics: MetricsOptions;
  readonly domains: DomainOptions;
  readonly outbound: OutboundOptions;
  readonly site: SiteOptions;
  readonly administration: AdministrationOptions;
  readonly footer: FooterOptions;
  readonly limits: LimitChanges;
  readonly security: SecurityContactOptions;
  readonly appLinks: AppLinksOptions;
  /** Number of worker processes. */
  readonly concurrency: number;
}

/** @throws ConfigurationError for the first invalid value */
export function readSettings(env: Environment): Settings {
  const variables = parseEnvironment(env);
  const baseUrl = variables.BASE_URL ?? `http://localhost:${variables.PORT}`;
  return Object.freeze({
    http: Object.freeze({
      port: variables.PORT,
      host: variables.HOST,
      baseUrl,
      trustProxy: variables.TRUST_PROXY,
      cookieSecure: variables.COOKIE_SECURE,
      corsOrigins: variables.CORS_ORIGINS ?? Object.freeze([new URL(baseUrl).origin]),
      fastPath: variables.FAST_PATH,
      strictHosts: variables.STRICT_HOSTS,
    }),
    data: Object.freeze({ dir: variables.DATA_DIR, journalSync: variables.JOURNAL_SYNC }),
    mongoUri: variables.MONGODB_URI,
    jwtSecret: variables.JWT_SECRET,
    visitorKey: variables.VISITOR_KEY,
    clickHouse: toClickHouseOptions(variables),
    redis: Object.freeze({ url: variables.REDIS_URL }),
    mail: Object.freeze({
      smtpUrl: variables.SMTP_URL,
      from: variables.MAIL_FROM ?? defaultMailFrom(variables.SITE_NAME),
    }),
    oauth: Object.freeze({ providers: signInProviders(variables) }),
    geo: Object.freeze({ dbPath: variables.GEOIP_DB }),
    statistics: Object.freeze({
      defaultScope: variables.DEFAULT_STATS_SCOPE,
      memoryMb: variables.STATISTICS_MEMORY_MB,
    }),
    aliases: Object.freeze({ ignoreCase: variables.CASE_INSENSITIVE_ALIASES }),
    linkCache: Object.freeze({ memoryMb: variables.LINK_CACHE_MB }),
    blocklist: Object.freeze({
      patternsFile: variables.BLOCKED_URLS_FILE,
      hostsFile: variables.BLOCKED_HOSTS_FILE,
    }),
    imports: Object.freeze({
      maxBytes: variables.IMPORT_MAX_BYTES,
      maxRows: variables.IMPORT_MAX_ROWS,
    }),
    log: Object.freeze({ level: variables.LOG_LEVEL, format: variables.LOG_FORMAT }),
    metrics: Object.freeze({ enabled: variables.METRICS }),
    domains: Object.freeze({
      dnsServers: variables.DNS_SERVERS,
      publicAddresses: variables.PUBLIC_ADDRESSES,
      recheck: variables.DOMAIN_RECHECK,
      askAddress: variables.TLS_ASK_ADDRESS,
    }),
    outbound: Object.freeze({ allowedNetworks: variables.OUTBOUND_ALLOWED_NETWORKS }),
    site: Object.freeze({
      name: variables.SITE_NAME,
      homeUrl: variables.HOME_URL,
      registration: variables.REGISTRATION,
      anonymousLinks: variables.ANONYMOUS_LINKS,
      passwordSignIn: variables.PASSWORD_SIGN_IN,
      rootRedirect: variables.ROOT_REDIRECT,
      notFoundRedirect: variables.NOT_FOUND_REDIRECT,
    }),
    administration: Object.freeze({ adminEmails: variables.ADMIN_EMAILS }),
    footer: Object.freeze({
      imprintUrl: variables.IMPRINT_URL,
      termsUrl: variables.TERMS_URL,
      privacyUrl: variables.PRIVACY_URL,
      abuseContact: variables.ABUSE_CONTACT,
    }),
    limits: variables.LIMITS_FILE,
    security: Object.freeze({ contact: variables.SECURITY_CONTACT }),
    appLinks: Object.freeze({
      apple: variables.APP_LINKS_APPLE_FILE,
      android: variables.APP_LINKS_ANDROID_FILE,
    }),
    concurrency: variables.WEB_CONCURRENCY,
  });
}

const DEFAULT_DATABASE = 'curtail';
const DEFAULT_USER = 'default';

/** Separate variables override parts of the URL. */
function toClickHouseOptions(
  variables: Pick<
    ReturnType<typeof parseEnvironment>,
    'CLICKHOUSE_URL' | 'CLICKHOUSE_USER' | 'CLICKHOUSE_PASSWORD' | 'CLICKHOUSE_CLUSTER'
  >,
): ClickHouseOptions | null {
  if (variables.CLICKHOUSE_URL === null) return null;
  const { origin, username, password, pathname } = new URL(variables.CLICKHOUSE_URL);
  const database = decodeURIComponent(pathname.replaceAll('/', ''));
  return Object.freeze({
    url: origin,
    user: variables.CLICKHOUSE_USER ?? (decodeURIComponent(username) || DEFAULT_USER),
    password: variables.CLICKHOUSE_PASSWORD ?? decodeURIComponent(password),
    database: database === '' ? DEFAULT_DATABASE : database,
    cluster: variables.CLICKHOUSE_CLUSTER,
  });
}

function defaultMailFrom(siteName: string): string {
  // RFC 5322 requires quotes around names with other characters.
  const name = /^[\w ]+$/.test(siteName) ? siteName : JSON.stringify(siteName);
  return `${name} <no-reply@localhost>`;
}
