import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { AppLog } from '../../common/log';
import { ConfigurationError } from '../../config/environment.schema';
import { fileState } from '../../config/text-file';
import { RpcError } from '../../processes/rpc/rpc';
import type { UnreadableLines } from './unreadable-lines';

/** Poll interval, because changes must take effect within 10 s. */
const FILE_POLL_MS = 5000;
const MAX_LOGGED_LINES = 20;

export interface LoadedFile {
  readonly state: string;
  /** Digest of the entries; empty if there are none. */
  readonly version: string;
  readonly entries: number;
  readonly unreadable: UnreadableLines;
}

export interface ListState {
  readonly file: string | null;
  readonly entries: number;
  readonly version: string;
  readonly unreadable: UnreadableLines;
  readonly loadedAt: Date | null;
  readonly error: string | null;
}

interface WatchedListOptions {
  readonly variable: string;
  readonly path: string | null;
  /** Loads the entries. Throws messages that complete a sentence starting with the file. */
  readonly load: (path: string) => Promise<LoadedFile>;
  readonly onChange: () => void;
  readonly log: AppLog;
  readonly lookMs?: number;
}

/** Reloads a list file after each change. Keeps the entries while the file is unreadable. */
export class WatchedList {
  private seen = '';
  private timer?: NodeJS.Timeout;
  private looking?: Promise<void>;
  private stopped = false;
  private now: ListState;

  constructor(private readonly options: WatchedListOptions) {
    const file = options.path === null ? null : basename(options.path);
    this.now = {
      file,
      entries: 0,
      version: '',
      unreadable: { total: 0, lines: [] },
      loadedAt: null,
      error: null,
    };
  }

  get state(): ListState {
    return this.now;
  }

  /** @throws ConfigurationError if the file cannot be read */
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

  /** Reloads the file if it has changed. Never rejects. */
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
      this.options.log.info(`${this.options.variable} was reloaded`, { file, entries });
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

  /** Logs each reason once, even if further polls fail. */
  private tellOfFailure(error: string): void {
    const { file } = this.now;
    this.seen = '';
    if (this.now.error === error || this.stopped) return;
    this.now = { ...this.now, error };
    this.options.log.error(
      `${this.options.variable} can no longer be read; its previous entries remain in effect`,
      { file, reason: error },
    );
  }

  private tellOfLines({ total, lines }: UnreadableLines): void {
    const { log, variable } = this.options;
    const { file } = this.now;
    for (const { line, text } of lines.slice(0, MAX_LOGGED_LINES)) {
      log.warn(`Skipped an unreadable line in ${variable}`, { file, line, text });
    }
    if (total <= MAX_LOGGED_LINES) return;
    log.warn(`Skipped more unreadable lines in ${variable}`, {
      file,
      lines: total - MAX_LOGGED_LINES,
    });
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
