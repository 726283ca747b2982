import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { AppLog } from '../common/log';
import { ConfigurationError } from '../config/environment.schema';
import { fileState } from '../config/text-file';
import { RpcError } from '../processes/rpc/rpc';
import type { UnreadableLines } from './unreadable-lines';

/** The file is looked at this often, so that a change is taken up within 10 s. */
const FILE_POLL_MS = 5000;
/** Unreadable lines that the log has of one load. */
const MAX_LOGGED_LINES = 20;

/** A file as it was read. */
export interface LoadedFile {
  /** State of the file before it was read. */
  readonly state: string;
  /** Digest of its entries, whatever else it holds; empty where there are none. */
  readonly version: string;
  readonly entries: number;
  readonly unreadable: UnreadableLines;
}

/** How a list stands (docs/contract.md#24.6). */
export interface ListState {
  /** Its name; null where the setting is unset. */
  readonly file: string | null;
  readonly entries: number;
  /** Digest of the entries; empty where there are none. */
  readonly version: string;
  readonly unreadable: UnreadableLines;
  readonly loadedAt: Date | null;
  /** Why the file cannot be read any more. */
  readonly error: string | null;
}

interface WatchedListOptions {
  /** The setting that names the file. */
  readonly variable: string;
  readonly path: string | null;
  /** Reads the file and takes up its entries; throws what completes a sentence that begins with it. */
  readonly load: (path: string) => Promise<LoadedFile>;
  /** Hears that other entries were taken up, but not of those at the start. */
  readonly onChange: () => void;
  readonly log: AppLog;
  readonly lookMs?: number;
}

/**
 * A list of the operator's: read at the start, and again after each change, be it made in place or by
 * renaming, on every file system. While it cannot be read its entries stay as they were.
 */
export class WatchedList {
  private seen = '';
  private timer?: NodeJS.Timeout;
  private looking?: Promise<void>;
  private stopped = false;
  private now: ListState;

  constructor(private readonly options: WatchedListOptions) {
    const file = options.path === null ? null : basename(options.path);
    this.now = {
      ...{ file, entries: 0, version: '', unreadable: { total: 0, lines: [] } },
      ...{ loadedAt: null, error: null },
    };
  }

  get state(): ListState {
    return this.now;
  }

  /** @throws ConfigurationError when the file cannot be read */
  async start(): Promise<void> {
    const { path, variable, lookMs = FILE_POLL_MS } = this.options;
    if (path === null) return;
    try {
      await this.load(path);
    } catch (error) {
      throw new ConfigurationError(variable, path, loadFailureReason(error));
    }
    this.timer = setInterval(() => void this.look(), lookMs).unref();
  }

  stop(): void {
    this.stopped = true;
    clearInterval(this.timer);
  }

  /** Takes up the file where it has changed; never rejects. */
  look(): Promise<void> {
    const { path } = this.options;
    if (path === null) return Promise.resolve();
    this.looking ??= this.takeUp(path).finally(() => (this.looking = undefined));
    return this.looking;
  }

  private async takeUp(path: string): Promise<void> {
    try {
      if ((await readFileState(path)) === this.seen) return;
      const before = this.now.version;
      await this.load(path);
      const { file, entries, version } = this.now;
      this.options.log.info(`${this.options.variable} was read again`, { file, entries });
      if (version !== before) this.options.onChange();
    } catch (error) {
      this.tellOfFailure(loadFailureReason(error));
    }
  }

  private async load(path: string): Promise<void> {
    const { state, entries, version, unreadable } = await this.options.load(path);
    this.seen = state;
    this.now = { ...this.now, entries, version, unreadable, loadedAt: new Date(), error: null };
    this.tellOfLines(unreadable);
  }

  /** Once for each reason: it is tried again at every look. */
  private tellOfFailure(error: string): void {
    const { file } = this.now;
    this.seen = '';
    if (this.now.error === error || this.stopped) return;
    this.now = { ...this.now, error };
    this.options.log.error(
      `${this.options.variable} cannot be read any more: its entries stay as they were`,
      { file, reason: error },
    );
  }

  private tellOfLines({ total, lines }: UnreadableLines): void {
    const { log, variable } = this.options;
    const { file } = this.now;
    for (const { line, text } of lines.slice(0, MAX_LOGGED_LINES)) {
      log.warn(`A line of ${variable} is unreadable and is passed over`, { file, line, text });
    }
    if (total <= MAX_LOGGED_LINES) return;
    log.warn(`More lines of ${variable} are unreadable`, { file, lines: total - MAX_LOGGED_LINES });
  }
}

async function readFileState(path: string): Promise<string> {
  try {
    return fileState(await stat(path, { bigint: true }));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unreadable';
  }
}

function loadFailureReason(error: unknown): string {
  if (error instanceof RpcError) return error.reason;
  return error instanceof Error ? error.message : String(error);
}
