import type { ClickHouseOptions } from '../engines/click-house/click-house';
import type { DomainRecheck, ListenAddress, Network } from './network-values';
import type { SignInProvider } from './sign-in-providers';

/** Options by consumer. The classes are injection tokens. */

export abstract class HttpOptions {
  abstract readonly port: number;
  abstract readonly host: string;
  /** Public base URL without a trailing slash. */
  abstract readonly baseUrl: string;
  /** Express's trust proxy value; false means the socket address. */
  abstract readonly trustProxy: boolean | number | string;
  abstract readonly cookieSecure: boolean;
  /** Normalised origins that may send credentials. */
  abstract readonly corsOrigins: readonly string[];
  /** Whether redirects bypass Nest. */
  abstract readonly fastPath: boolean;
  /** Whether requests for unknown hosts are refused. */
  abstract readonly strictHosts: boolean;
}

export abstract class DataOptions {
  abstract readonly dir: string;
  /** When the click journal is synced to disk (fsync). */
  abstract readonly journalSync: 'interval' | 'always' | 'never';
}

export abstract class MongoOptions {
  /** MONGODB_URI, or the running embedded engine's address. */
  abstract readonly uri: string;
  abstract readonly embedded: boolean;
}

export abstract class RedisOptions {
  abstract readonly url: string | null;
}

export abstract class TokenOptions {
  /** Signs JWTs. Secrets for other keyed hashes are derived from it. */
  abstract readonly secret: string;
}

export abstract class MailOptions {
  abstract readonly smtpUrl: string | null;
  abstract readonly from: string;
}

export abstract class OauthOptions {
  abstract readonly providers: readonly SignInProvider[];
}

export abstract class GeoOptions {
  abstract readonly dbPath: string | null;
}

export abstract class StatisticsOptions {
  /** Default for the `scope` parameter; null if `scope` is required. */
  abstract readonly defaultScope: 'all' | 'anon' | null;
  /** Memory for counting clicks, in megabytes. */
  abstract readonly memoryMb: number;
}

export abstract class AliasOptions {
  /** Whether aliases also match in another case (docs/contract.md#34.4). */
  abstract readonly ignoreCase: boolean;
}

export abstract class LinkCacheOptions {
  /** Link cache size per web process, in megabytes. */
  abstract readonly memoryMb: number;
}

export abstract class ClickHomeOptions {
  /** Null if clicks are stored in MongoDB. */
  abstract readonly clickHouse: ClickHouseOptions | null;
}

export abstract class RecordingOptions {
  abstract readonly dataDir: string;
  abstract readonly geoipDb: string | null;
  abstract readonly visitorSecret: string;
  abstract readonly clickHouse: ClickHouseOptions | null;
}

export abstract class ImportFileOptions {
  /** Maximum import file size in bytes. */
  abstract readonly maxBytes: number;
  abstract readonly maxRows: number;
}

export abstract class BlocklistOptions {
  abstract readonly patternsFile: string | null;
  abstract readonly hostsFile: string | null;
}

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

export type LogFormat = 'json' | 'pretty';

export abstract class LogOptions {
  abstract readonly level: LogLevel;
  /** Null means human-readable on a terminal, otherwise JSON. */
  abstract readonly format: LogFormat | null;
}

export abstract class SecurityContactOptions {
  /** URI for Contact in security.txt; null if there is no security.txt. */
  abstract readonly contact: string | null;
}

/** Association files (JSON), with which phones open short links in apps; null if not served. */
export abstract class AppLinksOptions {
  abstract readonly apple: string | null;
  abstract readonly android: string | null;
}

export abstract class OutboundOptions {
  /** Non-public networks that outbound requests may reach. */
  abstract readonly allowedNetworks: readonly Network[];
}

export abstract class DomainOptions {
  /** Resolvers as `address:port`; null means the system's. */
  abstract readonly dnsServers: readonly string[] | null;
  /**
   * Addresses to which custom domains must resolve; an empty list means those of the BASE_URL host.
   */
  abstract readonly publicAddresses: readonly string[];
  abstract readonly recheck: DomainRecheck;
  /** Address at which proxies ask whether a domain may have a certificate; null if disabled. */
  abstract readonly askAddress: ListenAddress | null;
}

export abstract class MetricsOptions {
  abstract readonly enabled: boolean;
}

/** Open, closed, or only for email addresses of these domains. */
export type Registration = 'open' | 'closed' | readonly string[];

export abstract class SiteOptions {
  abstract readonly name: string;
  /** Target of links to the home page: a path on this service, or another site. */
  abstract readonly homeUrl: string;
  abstract readonly registration: Registration;
  abstract readonly anonymousLinks: boolean;
  /** False if accounts sign in only through a provider. */
  abstract readonly passwordSignIn: boolean;
  /** Where `/` on the host of BASE_URL leads; null for the home page. */
  abstract readonly rootRedirect: string | null;
  /** Where unknown codes and paths on the host of BASE_URL lead; null for an error page. */
  abstract readonly notFoundRedirect: string | null;
}

export abstract class AdministrationOptions {
  abstract readonly adminEmails: readonly string[];
}

export interface FooterOptions {
  readonly imprintUrl: string | null;
  readonly termsUrl: string | null;
  readonly privacyUrl: string | null;
  /** A `mailto:` URI or a page URL for abuse reports. */
  readonly abuseContact: string | null;
}

/** Values that the primary knows only after it has started, and passes to web workers. */
export interface Runtime extends TokenOptions {
  readonly mongoUri: string;
}

/** Settings that the primary passes to the recorder process. */
export interface RecorderSettings extends RecordingOptions {
  readonly mongo: MongoOptions;
}

/** Settings that the primary passes to the jobs process, which also records imported clicks. */
export interface JobsSettings extends RecorderSettings {
  /** JWT_SECRET or the generated secret, from which encryption keys are derived. */
  readonly jwtSecret: string;
  readonly allowedNetworks: readonly Network[];
  /** BASE_URL, to which destinations must not lead back. */
  readonly baseUrl: string;
  readonly blocklist: BlocklistOptions;
  /** Redis, which publishes changes to other machines. */
  readonly redisUrl: string | null;
  readonly mail: MailOptions;
  readonly siteName: string;
  readonly imports: ImportFileOptions;
  readonly aliases: AliasOptions;
}

/** Settings that the primary passes to the statistics process. */
export interface StatisticsSettings {
  readonly mongoUri: string;
  readonly clickHouse: ClickHouseOptions | null;
  /** Value of STATISTICS_MEMORY_MB. */
  readonly memoryMb: number;
  /** Number of threads for counting, each for a range of visitors. */
  readonly threads: number;
}
