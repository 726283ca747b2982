/** Option objects by consumer; the classes are their injection tokens. */
import type { DomainRecheck, ListenAddress } from './domain-values';
import type { SignInProvider } from './sign-in-providers';
import type { ClickHouseOptions } from '../engines/click-house/click-house';

export abstract class HttpOptions {
  abstract readonly port: number;
  abstract readonly host: string;
  /** Public base URL without a trailing slash. */
  abstract readonly baseUrl: string;
  /** Express trust-proxy value; false = socket address. */
  abstract readonly trustProxy: boolean | number | string;
  abstract readonly cookieSecure: boolean;
  /** Origins allowed with credentials, normalised. */
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
  /** MONGODB_URI, or the address of the running embedded engine. */
  abstract readonly uri: string;
  abstract readonly embedded: boolean;
}

export abstract class RedisOptions {
  abstract readonly url: string | null;
}

export abstract class TokenOptions {
  /** Signs JWTs; secrets of other keyed hashes derive from it. */
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
  /** Default for a missing `scope`; null: `scope` is required. */
  abstract readonly defaultScope: 'all' | 'anon' | null;
  /** Memory for counting clicks, in megabytes. */
  abstract readonly memoryMb: number;
}

export abstract class LinkCacheOptions {
  /** Link cache of each web process, in megabytes. */
  abstract readonly memoryMb: number;
}

export abstract class ClickHomeOptions {
  /** Null: clicks are stored in MongoDB. */
  abstract readonly clickHouse: ClickHouseOptions | null;
}

export abstract class RecordingOptions {
  abstract readonly dataDir: string;
  abstract readonly geoipDb: string | null;
  abstract readonly visitorSecret: string;
  abstract readonly clickHouse: ClickHouseOptions | null;
}

export abstract class ImportFileOptions {
  /** Maximum size of an import's file, in bytes. */
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
  /** Null: pretty on a terminal, otherwise JSON. */
  abstract readonly format: LogFormat | null;
}

export abstract class SecurityContactOptions {
  /** URI for Contact in security.txt; null = no security.txt. */
  abstract readonly contact: string | null;
}

/** Association files (JSON) that open short links in mobile apps; null = not served. */
export abstract class AppLinksOptions {
  abstract readonly apple: string | null;
  abstract readonly android: string | null;
}

/** Such as `10.0.0.0/8`; a single address has a full-length prefix. */
export interface Network {
  readonly address: string;
  readonly prefix: number;
}

export abstract class OutboundOptions {
  /** Non-public networks that outbound requests may reach. */
  abstract readonly allowedNetworks: readonly Network[];
}

export abstract class DomainOptions {
  /** Resolvers as `address:port`; null = the system's. */
  abstract readonly dnsServers: readonly string[] | null;
  /** Addresses that custom domains must resolve to; empty = the host of BASE_URL. */
  abstract readonly publicAddresses: readonly string[];
  abstract readonly recheck: DomainRecheck;
  /** Where a proxy may ask whether a domain may have a certificate; null = disabled. */
  abstract readonly askAddress: ListenAddress | null;
}

export abstract class MetricsOptions {
  abstract readonly enabled: boolean;
}

/** Open, closed, or limited to email addresses of these domains. */
export type Registration = 'open' | 'closed' | readonly string[];

export abstract class SiteOptions {
  abstract readonly name: string;
  /** Target of "home" links: our own path, or another site. */
  abstract readonly homeUrl: string;
  abstract readonly registration: Registration;
  abstract readonly anonymousLinks: boolean;
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
