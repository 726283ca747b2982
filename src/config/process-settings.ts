import type { ClickHouseOptions } from '../engines/click-house/click-house';
import type {
  AliasOptions,
  BlocklistOptions,
  ImportFileOptions,
  MailOptions,
  MongoOptions,
  Network,
  RecordingOptions,
  TokenOptions,
} from './options';

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
