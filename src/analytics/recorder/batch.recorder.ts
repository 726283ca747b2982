import type { Logger } from '../../core/log';
import type { JournalReader } from '../../platform/journal/journal.reader';
import type { ClickStore } from '../ledger/ledger';
import type { PendingBatches } from './batch-intent';
import type { Enricher } from './enricher';
import { type JournalBatch, readBatch } from './journal-batch';

const BATCH_BYTES = 32 * 1024 * 1024;
const BATCH_FILES = 2000;

/** What recording needs the database for. */
export interface RecorderContext {
  ledger: ClickStore;
  enricher: Enricher;
  /** Hears of the links of each batch once it is recorded; awaited. */
  afterBatch: (linkIds: readonly string[]) => Promise<void>;
}

export interface BatchRecorderOptions {
  node: string;
  journal: JournalReader;
  intents: PendingBatches;
  /** Asked before each batch until it resolves; rejects while the database is away. */
  desk: () => Promise<RecorderContext>;
  log: Logger;
}

/**
 * Records the journal batch by batch: intent, then ledgers, then removal of the files. Whatever
 * breaks off in between is repeated under the same number with the same files.
 */
export class BatchRecorder {
  /** Clicks in the batch recorded last, and how long it took. */
  lastBatchSize = 0;
  lastBatchMs = 0;
  /** All since this process began. */
  batches = 0;
  clicks = 0;
  batchMs = 0;
  private resumed = false;
  private pending?: JournalBatch;

  constructor(private readonly options: BatchRecorderOptions) {}

  /** Records what waits, one batch at most; false when nothing did. Throws to be called again. */
  async recordNext(): Promise<boolean> {
    const begun = performance.now();
    const desk = await this.options.desk();
    this.pending ??= await this.nextBatch(desk.enricher);
    if (this.pending === undefined) return false;
    await this.record(this.pending, desk);
    this.count(this.pending.clicks, Math.round(performance.now() - begun));
    this.pending = undefined;
    return true;
  }

  private count(clicks: number, ms: number): void {
    this.lastBatchSize = clicks;
    this.lastBatchMs = ms;
    this.batches += 1;
    this.clicks += clicks;
    this.batchMs += ms;
  }

  private async nextBatch(enricher: Enricher): Promise<JournalBatch | undefined> {
    const { intents, journal } = this.options;
    if (!this.resumed) {
      const interrupted = await intents.resume();
      const batch = interrupted && (await readBatch(interrupted, journal, enricher));
      this.resumed = true;
      if (batch !== undefined) return batch;
    }
    const files = await this.waitingFiles();
    if (files.length === 0) return undefined;
    return readBatch(await intents.begin(files), journal, enricher);
  }

  private async waitingFiles(): Promise<string[]> {
    const names: string[] = [];
    let bytes = 0;
    for (const file of await this.options.journal.list()) {
      bytes += file.bytes;
      if (names.length > 0 && (bytes > BATCH_BYTES || names.length >= BATCH_FILES)) break;
      names.push(file.name);
    }
    return names;
  }

  private async record(batch: JournalBatch, desk: RecorderContext): Promise<void> {
    const { node, log } = this.options;
    const { entries, intent } = batch;
    const refused = await desk.ledger.record({ node, number: intent.number, entries });
    if (refused.length > 0) {
      log.error('The database refuses clicks for good; their journals are kept in quarantine', {
        links: refused.slice(0, 20),
        files: intent.files,
      });
    }
    await this.clear(batch, refused.length > 0);
    await desk.afterBatch(entries.map(({ linkId }) => linkId));
  }

  private async clear({ intent, damaged }: JournalBatch, keepAll: boolean): Promise<void> {
    const { journal } = this.options;
    for (const name of keepAll ? intent.files : damaged) await journal.quarantine(name);
    for (const name of intent.files) await journal.remove(name);
  }
}
