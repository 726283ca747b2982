import type { ClickHouseOptions } from '../engines/click-house/click-house';
import type {
  BlocklistOptions,
  ImportFileOptions,
  MailOptions,
  MongoOptions,
  Network,
  RecordingOptions,
} from './options';

/** Values that the primary knows only once it runs, handed to web workers. */
export interface Runtime {
  readonly mongoUri: string;
  readonly jwtSecret: string;
}

/** Settings that the primary hands to the recorder process. */
export interface RecorderSettings extends RecordingOptions {
  readonly mongo: MongoOptions;
}

/** Settings that the primary hands to the jobs process, which records imported clicks as well. */
export interface JobsSettings extends RecorderSettings {
  /** JWT_SECRET, or the generated secret: encryption keys derive from it. */
  readonly jwtSecret: string;
  readonly allowedNetworks: readonly Network[];
  /** BASE_URL: destinations must not lead back to it. */
  readonly baseUrl: string;
  readonly blocklist: BlocklistOptions;
  /** Publishes changes to other machines. */
  readonly redisUrl: string | null;
  readonly mail: MailOptions;
  readonly siteName: string;
  readonly imports: ImportFileOptions;
}

/** Settings that the primary hands to the statistics process. */
export interface StatisticsSettings {
  readonly mongoUri: string;
  readonly clickHouse: ClickHouseOptions | null;
  /** STATISTICS_MEMORY_MB. */
  readonly memoryMb: number;
  /** Threads for counting, each for a range of visitors. */
  readonly threads: number;
}
