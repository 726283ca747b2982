import type { Logger } from '../../common/log';
import type { DataOptions } from '../../config/options';
import type { JournalFiles, OpenJournal } from './journal.files';

export type JournalSyncMode = DataOptions['journalSync'];

/** With `interval`, the time from a write to the start of its sync. */
const INTERVAL_MS = 100;
/** With `interval`, a power failure may lose the clicks of the last period of this length. */
export const AT_STAKE_MS = 250;
/** If the disk does not respond within this time, responses no longer wait for it. */
const SYNC_TIMEOUT_MS = 2000;
export const REMINDER_MS = 60_000;

/**
 * Flushes files in the background, so that clicks survive a power failure. A disk that fails or
 * hangs is logged, but never makes a response fail.
 */
export class JournalSync {
  private readonly unsynced = new Set<OpenJournal>();
  private readonly toClose = new Set<OpenJournal>();
  private folderChanged = false;
  private answers: (() => void)[] = [];
  private oldest = 0;
  private timer?: NodeJS.Timeout;
  private current?: { journals: readonly OpenJournal[]; answers: (() => void)[] };
  /** Whether the current sync has exceeded its time limit. */
  private hanging = false;
  private toldAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly mode: JournalSyncMode,
    private readonly files: JournalFiles,
    private readonly directory: string,
    private readonly logger: Logger,
  ) {}

  get holdsAnswers(): boolean {
    return this.mode === 'always';
  }

  /** Call for a new file, because a power failure may remove it unless the folder is synced. */
  created(): void {
    this.folderChanged = true;
  }

  /** Call after a write, because the bytes may be only in the system's cache. */
  written(journal: OpenJournal): void {
    if (this.mode === 'never') return;
    if (this.unsynced.size === 0) this.oldest = performance.now();
    this.unsynced.add(journal);
    if (this.mode === 'interval' && this.current === undefined) this.timer ??= this.startLater();
  }

  /** Calls `answer` once everything written so far is on disk. */
  whenSynced(answer: () => void): void {
    if (this.hanging || this.unsynced.size === 0) {
      answer();
      return;
    }
    this.answers.push(answer);
    if (this.current === undefined) void this.round();
  }

  /** Closes a completed file once it is synced. */
  close(journal: OpenJournal): void {
    if (this.unsynced.has(journal) || this.current !== undefined) this.toClose.add(journal);
    else journal.close();
  }

  /** Syncs all files synchronously; call when the process ends. */
  finish(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    try {
      const journals = new Set([...(this.current?.journals ?? []), ...this.unsynced]);
      for (const journal of journals) journal.syncNow();
    } catch (error) {
      this.failed(error);
    }
    this.unsynced.clear();
    if (this.current === undefined) this.closeFiles();
    else this.answer(this.current.answers);
    this.answer(this.answers);
  }

  private startLater(): NodeJS.Timeout {
    const delay = Math.max(0, INTERVAL_MS - (performance.now() - this.oldest));
    return setTimeout(() => {
      this.timer = undefined;
      void this.round();
    }, delay).unref();
  }

  private async round(): Promise<void> {
    const { oldest, answers, folderChanged } = this;
    const journals = [...this.unsynced];
    this.current = { journals, answers };
    this.unsynced.clear();
    this.answers = [];
    this.folderChanged = false;
    const impatience = setTimeout(() => this.hang(answers), SYNC_TIMEOUT_MS).unref();
    try {
      const syncs = journals.map((journal) => journal.sync());
      if (folderChanged) syncs.push(this.files.syncFolder(this.directory));
      await Promise.all(syncs);
      this.judge(performance.now() - oldest);
    } catch (error) {
      this.failed(error);
    }
    clearTimeout(impatience);
    this.hanging = false;
    this.current = undefined;
    this.answer(answers);
    this.closeFiles();
    this.goOn();
  }

  private goOn(): void {
    if (this.answers.length > 0) void this.round();
    else if (this.unsynced.size > 0) this.timer ??= this.startLater();
  }

  private closeFiles(): void {
    for (const journal of this.toClose) {
      if (this.unsynced.has(journal)) continue;
      this.toClose.delete(journal);
      journal.close();
    }
  }

  private hang(answers: (() => void)[]): void {
    this.hanging = true;
    this.tell(
      'error',
      'The disk is not syncing the click journal; redirects no longer wait for it',
      {
        waitedMs: SYNC_TIMEOUT_MS,
      },
    );
    this.answer(answers);
    this.answer(this.answers);
  }

  private answer(answers: (() => void)[]): void {
    runAll(answers.splice(0), this.logger);
  }

  private failed(error: unknown): void {
    const { code, message } = error as NodeJS.ErrnoException;
    this.tell('error', 'Could not sync the click journal', { code, message });
  }

  private judge(ageMs: number): void {
    if (this.mode !== 'interval' || ageMs <= AT_STAKE_MS) return;
    this.tell('warn', 'The disk is slow to sync the click journal', {
      atStakeMs: Math.round(ageMs),
    });
  }

  private tell(level: 'error' | 'warn', message: string, fields: Record<string, unknown>): void {
    if (performance.now() - this.toldAt < REMINDER_MS) return;
    this.toldAt = performance.now();
    this.logger[level](message, fields);
  }
}

/** Runs all callbacks, even if some of them throw. */
export function runAll(answers: readonly (() => void)[], logger: Logger): void {
  for (const answer of answers) {
    try {
      answer();
    } catch (error) {
      logger.error('Could not respond to a recorded visit', { error });
    }
  }
}
