import { mkdirSync } from 'node:fs';
import type { Logger } from '../../common/log';
import { type JournalFiles, journalFiles, JournalNames, OpenJournal } from './journal.files';
import { NEWLINE } from './journal.format';
import { JournalSpace } from './journal.space';
import { JournalSync, type JournalSyncMode } from './journal.sync';

const WRITE_RETRY_MS = 250;
/** Interval for logging lost clicks; the first loss is logged immediately. */
const REPORT_MS = 10_000;
const SCRATCH_BYTES = 1024 * 1024;
/** Temporary errors: the file is intact, and later writes are appended to it. */
const PASSING_FAULTS = new Set(['ENOSPC', 'EDQUOT', 'EINTR', 'EAGAIN', 'RESERVE']);

export interface JournalSinkOptions {
  /** Created if it does not exist. */
  directory: string;
  logger: Logger;
  /** Specifies when writes are flushed to disk; the default is never. */
  sync?: JournalSyncMode;
  /** Age at which a file is sealed, so that the recorder reads it. */
  sealAfterMs?: number;
  /** Size at which a file is sealed even if it has not reached the age. */
  sealBytes?: number;
  /** Maximum bytes in memory while writing fails; beyond that, the oldest lines are lost. */
  backlogLimit?: number;
  files?: JournalFiles;
}

/** Writes each line to exactly one file; keeps a limited backlog if writing fails. Never throws. */
export class JournalSink {
  /** Number of clicks lost since the process started because the backlog was full. */
  lost = 0;
  isFailing = false;
  private readonly options: Required<JournalSinkOptions>;
  private readonly names = new JournalNames();
  private readonly backlog = new JournalBacklog();
  private readonly space: JournalSpace;
  private readonly sync: JournalSync;
  private readonly scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  private journal?: OpenJournal;
  private unsealed: OpenJournal[] = [];
  private sealTimer?: NodeJS.Timeout;
  private retryTimer?: NodeJS.Timeout;

  private unreported = 0;
  private reportedAt = Number.NEGATIVE_INFINITY;

  constructor(options: JournalSinkOptions) {
    const megabyte = 1024 * 1024;
    const defaults = { sealAfterMs: 500, sealBytes: 8 * megabyte, backlogLimit: 64 * megabyte };
    this.options = { ...defaults, files: journalFiles, sync: 'never', ...options };
    const { files, directory, sync, logger } = this.options;
    this.sync = new JournalSync(sync, files, directory, logger);
    this.space = new JournalSpace(
      () => files.space(directory),
      () => this.drain(),
    );
  }

  get pendingBytes(): number {
    return this.backlog.bytes;
  }

  get holdsAnswers(): boolean {
    return this.sync.holdsAnswers;
  }

  /** Calls `answer` once all lines are on disk, or immediately if the disk rejects writes. */
  whenSynced(answer: () => void): void {
    if (this.backlog.first === undefined) this.sync.whenSynced(answer);
    else answer();
  }

  write(lines: string): void {
    // UTF-8 uses at most three bytes per UTF-16 code unit.
    const fits = lines.length * 3 <= SCRATCH_BYTES;
    const bytes = fits ? this.scratch.subarray(0, this.scratch.write(lines)) : Buffer.from(lines);
    const entry = this.backlog.push(bytes);
    this.drain();
    // The buffer is reused for the next lines, so bytes that are still pending are copied.
    if (fits && entry.offset < bytes.length) entry.bytes = Buffer.from(bytes);
    if (this.backlog.bytes > this.options.backlogLimit) this.dropOldest();
  }

  /** Removes an incomplete last line and hands the open file over to the recorder. */
  seal(): void {
    const { journal } = this;
    clearTimeout(this.sealTimer);
    this.journal = undefined;
    if (journal !== undefined) this.give(journal, this.backlog.rewind());
  }

  /** Writes the backlog, which would otherwise be lost. It may use reserved disk space. */
  close(): void {
    this.drain(true);
    this.seal();
    this.sync.finish();
    clearTimeout(this.retryTimer);
    this.drop(0);
    this.reportLost();
  }

  private drain(intoReserve = false): void {
    try {
      for (let entry = this.backlog.first; entry !== undefined; entry = this.backlog.first) {
        if (!intoReserve && !this.space.allows()) return;
        this.journal ??= this.open();
        const written = this.journal.write(entry.bytes, entry.offset);
        this.space.spend(written);
        this.sync.written(this.journal);
        this.backlog.advance(entry, written);
        if (this.backlog.first !== entry && this.journal.bytes >= this.options.sealBytes) {
          this.seal();
        }
      }
      if (this.isFailing) this.recovered();
    } catch (error) {
      this.failed(error as NodeJS.ErrnoException);
    }
  }

  private open(): OpenJournal {
    const { directory, files, sealAfterMs } = this.options;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const journal = OpenJournal.create(files, directory, this.names.next());
    this.sync.created();
    this.sealTimer = setTimeout(() => this.seal(), sealAfterMs).unref();
    return journal;
  }

  private give(journal: OpenJournal, torn: number): void {
    journal.truncate(torn);
    this.sync.close(journal);
    this.rename(journal);
  }

  private rename(journal: OpenJournal): void {
    try {
      journal.seal();
    } catch (error) {
      // If the file no longer exists, its clicks are lost and sealing cannot be retried.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.unsealed.push(journal);
      this.failed(error as NodeJS.ErrnoException);
    }
  }

  private failed(error: NodeJS.ErrnoException): void {
    if (!this.isFailing) {
      this.isFailing = true;
      const { code, message } = error;
      this.options.logger.error('Could not write to the click journal', { code, message });
    }
    // After a permanent error, a file ends with its last complete line, and a new file is used.
    if (!PASSING_FAULTS.has(error.code ?? '')) this.seal();
    this.retryTimer ??= setTimeout(() => this.retry(), WRITE_RETRY_MS).unref();
  }

  private retry(): void {
    this.retryTimer = undefined;
    if (performance.now() - this.reportedAt >= REPORT_MS) this.reportLost();
    for (const journal of this.unsealed.splice(0)) this.rename(journal);
    this.drain();
  }

  private recovered(): void {
    if (this.unsealed.length > 0) return;
    this.isFailing = false;
    this.options.logger.info('Writing to the click journal works again');
    this.reportLost();
  }

  private dropOldest(): void {
    this.seal();
    this.drop(this.options.backlogLimit);
  }

  private drop(limit: number): void {
    const dropped = this.backlog.shrinkTo(limit);
    this.lost += dropped;
    this.unreported += dropped;
  }

  private reportLost(): void {
    if (this.unreported === 0) return;
    this.reportedAt = performance.now();
    this.options.logger.error('Clicks were lost because writing to the journal failed', {
      lost: this.unreported,
    });
    this.unreported = 0;
  }
}

export interface BacklogEntry {
  bytes: Buffer;
  offset: number;
}

/** Lines that have not been written yet, oldest first. */
export class JournalBacklog {
  bytes = 0;
  private entries: BacklogEntry[] = [];

  get first(): BacklogEntry | undefined {
    return this.entries[0];
  }

  push(bytes: Buffer): BacklogEntry {
    const entry = { bytes, offset: 0 };
    this.entries.push(entry);
    this.bytes += bytes.length;
    return entry;
  }

  advance(entry: BacklogEntry, count: number): void {
    entry.offset += count;
    this.bytes -= count;
    if (entry.offset === entry.bytes.length) this.entries.shift();
  }

  /** Rewinds to the start of an incomplete line; returns the number of bytes already written. */
  rewind(): number {
    const entry = this.first;
    if (entry === undefined || entry.offset === 0) return 0;
    const start = entry.bytes.lastIndexOf(NEWLINE, entry.offset - 1) + 1;
    const torn = entry.offset - start;
    entry.offset = start;
    this.bytes += torn;
    return torn;
  }

  /** Drops the oldest entries until `limit` bytes remain; returns the number of lost records. */
  shrinkTo(limit: number): number {
    let dropped = 0;
    while (this.bytes > limit) {
      const entry = this.entries.shift();
      if (entry === undefined) break;
      this.bytes -= entry.bytes.length - entry.offset;
      dropped += countLines(entry);
    }
    return dropped;
  }
}

function countLines({ bytes, offset }: BacklogEntry): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE, offset); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
    lines++;
  }
  return lines;
}
