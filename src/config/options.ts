/** Option objects, each named for its reader; the classes are their injection tokens. */
import type { DomainRecheck, ListenAddress } from './domain-values';
import type { SignInProvider } from './sign-in-providers';

export abstract class HttpOptions {
  abstract readonly port: number;
  abstract readonly host: string;
  /** Public base without a trailing slash. */
  abstract readonly baseUrl: string;
  /** Express trust-proxy value; false = socket address. */
  abstract readonly trustProxy: boolean | number | string;
  abstract readonly cookieSecure: boolean;
  /** Origins allowed with credentials, normalised. */
  abstract readonly corsOrigins: readonly string[];
  /** Whether redirects are answered ahead of Nest. */
  abstract readonly fastPath: boolean;
  /** Whether hosts that are nobody's are refused. */
  abstract readonly strictHosts: boolean;
}

export abstract class DataOptions {
  /** Absolute path of DATA_DIR. */
  abstract readonly dir: string;
  /** When the click journal is brought to the disk itself. */
  abstract readonly journalSync: 'interval' | 'always' | 'never';
}

export abstract class MongoOptions {
  /** The database to use: MONGODB_URI, or the embedded engine's address once it runs. */
  abstract readonly uri: string;
  abstract readonly embedded: boolean;
}

export abstract class RedisOptions {
  abstract readonly url: string | null;
}

export abstract class TokenOptions {
  /** Signing secret of JWTs; other keyed hashes derive theirs from it. */
  abstract readonly secret: string;
}

export abstract class MailOptions {
  abstract readonly smtpUrl: string | null;
  abstract readonly from: string;
}

export abstract class OauthOptions {
  /** Sign-in providers that are set up. */
  abstract readonly providers: readonly SignInProvider[];
}

export abstract class GeoOptions {
  abstract readonly dbPath: string | null;
}

export abstract class StatisticsOptions {
  /** Meaning of an absent `scope`; null: it has to be there. */
  abstract readonly defaultScope: 'all' | 'anon' | null;
  /** How much clicks held in memory to be counted may take, in megabytes. */
  abstract readonly memoryMb: number;
}

export abstract class LinkCacheOptions {
  /** Memory of each web process for links, in megabytes. */
  abstract readonly memoryMb: number;
}

/** The ClickHouse database that clicks are kept in. */
export interface ClickHouseOptions {
  /** Origin and path prefix of its HTTP interface; user, password and database stand beside it. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** The cluster whose shards share the clicks; null for one server. */
  readonly cluster: string | null;
}

export abstract class ClickHomeOptions {
  /** Null: clicks are kept in MongoDB. */
  abstract readonly clickHouse: ClickHouseOptions | null;
}

/** How clicks are recorded, for whoever records some beside the recorder. */
export abstract class RecordingOptions {
  abstract readonly dataDir: string;
  /** GEOIP_DB; null for the bundled database. */
  abstract readonly geoipDb: string | null;
  abstract readonly visitorSecret: string;
  /** Null: clicks are kept in MongoDB. */
  abstract readonly clickHouse: ClickHouseOptions | null;
}

export abstract class ImportFileOptions {
  /** Bytes of the largest file of an import. */
  abstract readonly maxBytes: number;
  /** Rows of one import. */
  abstract readonly maxRows: number;
}

export abstract class BlocklistOptions {
  /** BLOCKED_URLS_FILE, null = unset. */
  abstract readonly patternsFile: string | null;
  /** BLOCKED_HOSTS_FILE, null = unset. */
  abstract readonly hostsFile: string | null;
}

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

export type LogFormat = 'json' | 'pretty';

export abstract class LogOptions {
  abstract readonly level: LogLevel;
  /** Null: pretty on a terminal, JSON elsewhere. */
  abstract readonly format: LogFormat | null;
}

export abstract class SecurityContactOptions {
  /** A URI for the Contact of security.txt; null = there is no such file. */
  abstract readonly contact: string | null;
}

/** Files by which phones open short links in apps, as JSON; null = there is no such file. */
export abstract class AppLinksOptions {
  abstract readonly apple: string | null;
  abstract readonly android: string | null;
}

/** Addresses that begin alike: `10.0.0.0/8`; a single one has the whole length as its prefix. */
export interface Network {
  readonly address: string;
  readonly prefix: number;
}

export abstract class OutboundOptions {
  /** Networks that requests to other services may reach although they are not public. */
  abstract readonly allowedNetworks: readonly Network[];
}

export abstract class DomainOptions {
  /** Resolvers, `address:port`; null = those of this machine. */
  abstract readonly dnsServers: readonly string[] | null;
  /** Addresses that names are to point to; none = the host of BASE_URL. */
  abstract readonly publicAddresses: readonly string[];
  abstract readonly recheck: DomainRecheck;
  /** Where a proxy asks which names may have certificates; null = nowhere. */
  abstract readonly askAddress: ListenAddress | null;
}

export abstract class MetricsOptions {
  abstract readonly enabled: boolean;
}

/** Whom new accounts may be made for: everybody, nobody, or mail addresses of these domains. */
export type Registration = 'open' | 'closed' | readonly string[];

/** How this installation presents itself, and what it lets strangers do. */
export abstract class SiteOptions {
  abstract readonly name: string;
  /** Where "home" leads: a path of ours, or another site. */
  abstract readonly homeUrl: string;
  abstract readonly registration: Registration;
  /** Whether links may be made without an account. */
  abstract readonly anonymousLinks: boolean;
}

export abstract class AdministrationOptions {
  /** Addresses, as they were written, whose accounts become admins. */
  abstract readonly adminEmails: readonly string[];
}

/** Links in the footer of every page. */
export interface FooterOptions {
  readonly imprintUrl: string | null;
  readonly termsUrl: string | null;
  readonly privacyUrl: string | null;
  /** A `mailto:` URI or the URL of a page, for people who report a link. */
  readonly abuseContact: string | null;
}
