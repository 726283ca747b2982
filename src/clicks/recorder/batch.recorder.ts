import { setImmediate as turn } from 'node:timers/promises';
import type { Logger } from '../../common/log';
import type { ClickEvent } from '../click-event';
import type { ClicksStored, ClicksStoredEvents } from '../clicks-stored';
import type { JournalReader } from '../journal/journal.reader';
import type { Click } from '../../engines/click-engine/click';
import {
  boundedColumns,
  type ClickBatchEntry,
  clickBatchEntry,
  tallyEntry,
} from '../store/click-batch';
import { type ClickDaysRepository, dayStart } from '../store/click-days.repository';
import type { ClickStore } from '../store/click-store';
import type { LinkClicks } from '../../engines/click-house/click-rows';
import type { ClickWriter } from '../../engines/click-house/click-writer';
import type { Enricher } from './enricher';
import type { RecordingNode } from './node-lease';
import type { PendingBatch, PendingBatches } from './pending-batch';

/** Work between two looks at the channel to the parent. */
const VISITS_AT_ONCE = 2000;
const ENTRIES_AT_ONCE = 500;

/** The files of a batch, read and made ready to be recorded. */
export interface JournalBatch {
  pending: Required<PendingBatch>;
  entries: ClickBatchEntry[];
  /** Null where the clicks are kept in the entries. */
  elsewhere: LinkClicks[] | null;
  clicks: number;
  /** How many of them fall on each day, by its begin. */
  days: Map<number, number>;
  /** Files with lines that are no records: a copy is kept of them. */
  damaged: string[];
}

/** Reads the files of a batch, turns visits to clicks and groups them by link. */
export async function readBatch(
  pending: Required<PendingBatch>,
  journal: JournalReader,
  { enricher, clickHouse }: Pick<RecorderContext, 'enricher' | 'clickHouse'>,
): Promise<JournalBatch> {
  const byLink = new Map<string, Click[]>();
  const days = new Map<number, number>();
  const damaged: string[] = [];
  let clicks = 0;
  for (const name of pending.files) {
    // A file that is gone was recorded and removed before the crash that this batch repeats.
    const { events = [], garbage = 0 } = (await journal.read(name)) ?? {};
    if (garbage > 0) damaged.push(name);
    await enrich(events, enricher, byLink);
    clicks += events.length;
    for (const { at } of events) days.set(dayStart(at), (days.get(dayStart(at)) ?? 0) + 1);
  }
  const encoded = await encodeLinks(byLink, clickHouse !== null);
  return { pending, ...encoded, clicks, days, damaged };
}

async function enrich(
  visits: readonly ClickEvent[],
  enricher: Enricher,
  byLink: Map<string, Click[]>,
): Promise<void> {
  for (const [i, visit] of visits.entries()) {
    if (i % VISITS_AT_ONCE === VISITS_AT_ONCE - 1) await turn();
    const click = enricher.enrich(visit);
    const others = byLink.get(visit.linkId);
    if (others === undefined) byLink.set(visit.linkId, [click]);
    else others.push(click);
  }
}

async function encodeLinks(
  byLink: Map<string, Click[]>,
  isElsewhere: boolean,
): Promise<Pick<JournalBatch, 'entries' | 'elsewhere'>> {
  const entries: ClickBatchEntry[] = [];
  const elsewhere: LinkClicks[] = [];
  for (const [linkId, clicks] of byLink) {
    if (entries.length % ENTRIES_AT_ONCE === ENTRIES_AT_ONCE - 1) await turn();
    entries.push(isElsewhere ? tallyEntry(linkId, clicks) : clickBatchEntry(linkId, clicks));
    if (isElsewhere) elsewhere.push({ linkId, chunks: boundedColumns(clicks) });
  }
  return { entries, elsewhere: isElsewhere ? elsewhere : null };
}

const BATCH_BYTES = 32 * 1024 * 1024;
const BATCH_FILES = 2000;

/** The database, as recording uses it. */
export interface RecorderContext {
  store: ClickStore;
  /** Where clicks are kept in place of click stores, which then have their totals; null without one. */
  clickHouse: ClickWriter | null;
  enricher: Enricher;
  days: ClickDaysRepository;
  /** Hears of each batch once the database has it. */
  stored: ClicksStoredEvents;
  node: RecordingNode;
  /** Rejects when clicks are not kept any more where they were at the start. */
  checkHome: () => Promise<void>;
}

export interface BatchRecorderOptions {
  journal: JournalReader;
  pendingBatches: PendingBatches;
  /** Asked before each batch until it resolves; rejects while the database is away. */
  context: () => Promise<RecorderContext>;
  log: Logger;
}

/**
 * Records the journal batch by batch: notes the pending batch, then stores it, then removes the
 * files. A batch that breaks off in between is repeated under the same number with the same files.
 */
export class BatchRecorder {
  /** How long the batch recorded last took. */
  lastBatchMs = 0;
  private resumed = false;
  private current?: JournalBatch;
  private node?: RecordingNode;
  private clickHouse?: ClickWriter | null;
  private isHomeKnown = true;

  constructor(private readonly options: BatchRecorderOptions) {}

  /** Whether ClickHouse took what it was last given; null without it. */
  get clickHouseUp(): boolean | null {
    return this.clickHouse?.isUp ?? null;
  }

  /** Clicks may have been moved while recording waited. */
  doubtHome(): void {
    this.isHomeKnown = false;
  }

  /** Records what waits, one batch at most; false when nothing did. Throws to be called again. */
  async recordNext(): Promise<boolean> {
    const begun = performance.now();
    const context = await this.options.context();
    this.node = context.node;
    this.clickHouse = context.clickHouse;
    if (!this.isHomeKnown) await context.checkHome();
    this.isHomeKnown = true;
    this.current ??= await this.nextBatch(context);
    if (this.current === undefined) return false;
    const refused = await this.record(this.current, context);
    this.lastBatchMs = Math.round(performance.now() - begun);
    context.stored.emit(this.toClicksStored(this.current, refused));
    this.current = undefined;
    return true;
  }

  /** Whether as much waits as a batch takes. */
  async isFull(): Promise<boolean> {
    const files = await this.options.journal.list();
    return (
      files.length >= BATCH_FILES || files.reduce((sum, { bytes }) => sum + bytes, 0) >= BATCH_BYTES
    );
  }

  /** Gives the name of this node back, if the database was ever there. */
  async release(): Promise<void> {
    await this.node?.release();
    await this.clickHouse?.close();
  }

  private toClicksStored(
    { pending, entries }: JournalBatch,
    refused: readonly string[],
  ): ClicksStored {
    const links = new Map(entries.map(({ linkId, total }) => [linkId, total]));
    for (const linkId of refused) links.delete(linkId);
    return {
      batch: { node: pending.node, number: pending.number },
      links,
      clicks: [...links.values()].reduce((sum, clicks) => sum + clicks, 0),
      durationMs: this.lastBatchMs,
    };
  }

  private async nextBatch(context: RecorderContext): Promise<JournalBatch | undefined> {
    const { pendingBatches, journal } = this.options;
    if (!this.resumed) {
      const interrupted = await pendingBatches.resume();
      const batch = interrupted && (await readBatch(interrupted, journal, context));
      this.resumed = true;
      if (batch !== undefined) return batch;
    }
    const files = await this.waitingFiles();
    if (files.length === 0) return undefined;
    // Only the last batch is repeated after a crash: the files of those before it must be gone for
    // good by now, and the files of this one must keep the names that are noted.
    await journal.sync();
    return readBatch(await pendingBatches.begin(files, context.node.name), journal, context);
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

  /** Records a batch; returns the links whose clicks the database refuses for good. */
  private async record(batch: JournalBatch, context: RecorderContext): Promise<string[]> {
    const { log } = this.options;
    const { entries, elsewhere, pending, days } = batch;
    const { node, number } = pending;
    if (elsewhere !== null) {
      await context.clickHouse?.record({ node, number, links: elsewhere });
    }
    const refused = await context.store.record({ node, number, entries });
    await context.days.add({ node, number, days });
    if (refused.length > 0) {
      log.error('The database refuses clicks for good; their journals are kept in quarantine', {
        links: refused.slice(0, 20),
        files: pending.files,
      });
    }
    await this.clear(batch, refused.length > 0);
    return refused;
  }

  private async clear({ pending, damaged }: JournalBatch, keepAll: boolean): Promise<void> {
    const { journal } = this.options;
    for (const name of keepAll ? pending.files : damaged) await journal.quarantine(name);
    for (const name of pending.files) await journal.remove(name);
  }
}
