import { setImmediate as turn } from 'node:timers/promises';
import type { Logger } from '../../common/log';
import type { ClickEvent } from '../click-event';
import { ClicksDeletedError } from '../clicks.errors';
import type { ClicksStored, ClicksStoredEvents } from '../clicks-stored';
import type { JournalReader } from '../journal/journal.reader';
import type { Click } from '../../engines/click-engine/chunk/click';
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

/** Number of visits processed before messages from the parent process are handled. */
const VISITS_AT_ONCE = 2000;
const ENTRIES_AT_ONCE = 500;

export interface JournalBatch {
  pending: Required<PendingBatch>;
  entries: ClickBatchEntry[];
  /** Clicks to be stored in ClickHouse; null if `entries` contains the clicks. */
  elsewhere: LinkClicks[] | null;
  clicks: number;
  /** Number of clicks by start of day. */
  days: Map<number, number>;
  /** Names of files with invalid lines; copies of these files are kept. */
  damaged: string[];
}

/** @param deleted by link id, in milliseconds: clicks from visits at or before this time are omitted */
export async function readBatch(
  pending: Required<PendingBatch>,
  journal: JournalReader,
  { enricher, clickHouse }: Pick<RecorderContext, 'enricher' | 'clickHouse'>,
  deleted: ReadonlyMap<string, number> = new Map(),
): Promise<JournalBatch> {
  const byLink = new Map<string, Click[]>();
  const days = new Map<number, number>();
  const damaged: string[] = [];
  let clicks = 0;
  for (const name of pending.files) {
    // This batch is being repeated, and its missing files were recorded and removed before the
    // crash.
    const { events = [], garbage = 0 } = (await journal.read(name)) ?? {};
    if (garbage > 0) damaged.push(name);
    await enrich(events, enricher, byLink);
    clicks += events.length;
    for (const { at } of events) days.set(dayStart(at), (days.get(dayStart(at)) ?? 0) + 1);
  }
  const encoded = await encodeLinks(byLink, deleted, clickHouse !== null);
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
  deleted: ReadonlyMap<string, number>,
  isElsewhere: boolean,
): Promise<Pick<JournalBatch, 'entries' | 'elsewhere'>> {
  const entries: ClickBatchEntry[] = [];
  const elsewhere: LinkClicks[] = [];
  for (const [linkId, clicks] of byLink) {
    if (entries.length % ENTRIES_AT_ONCE === ENTRIES_AT_ONCE - 1) await turn();
    const since = deleted.get(linkId);
    const kept = since === undefined ? clicks : clicks.filter(({ at }) => at > since);
    // Contains all clicks, because a repeated batch must number its rows alike.
    if (isElsewhere) elsewhere.push({ linkId, chunks: boundedColumns(clicks), since });
    if (kept.length === 0) continue;
    entries.push(isElsewhere ? tallyEntry(linkId, kept) : clickBatchEntry(linkId, kept));
  }
  // In the database's order, so that it writes each page once and not once for each link.
  entries.sort((a, b) => (a.linkId < b.linkId ? -1 : 1));
  return { entries, elsewhere: isElsewhere ? elsewhere : null };
}

const BATCH_BYTES = 32 * 1024 * 1024;
const BATCH_FILES = 2000;

export interface RecorderContext {
  store: ClickStore;
  /** Stores the clicks; click stores then contain only totals. Null without ClickHouse. */
  clickHouse: ClickWriter | null;
  enricher: Enricher;
  days: ClickDaysRepository;
  stored: ClicksStoredEvents;
  node: RecordingNode;
  /** Rejects if clicks have been moved to other storage since startup. */
  checkHome: () => Promise<void>;
}

export interface BatchRecorderOptions {
  journal: JournalReader;
  pendingBatches: PendingBatches;
  /** Called before each batch until it has resolved; rejects if the database is unreachable. */
  context: () => Promise<RecorderContext>;
  log: Logger;
}

/** Records batches; repeats an interrupted batch with the same number and files. */
export class BatchRecorder {
  lastBatchMs = 0;
  private resumed = false;
  private current?: JournalBatch;
  private node?: RecordingNode;
  private clickHouse?: ClickWriter | null;
  private isHomeKnown = true;

  constructor(private readonly options: BatchRecorderOptions) {}

  /** Whether the last write to ClickHouse succeeded; null without ClickHouse. */
  get clickHouseUp(): boolean | null {
    return this.clickHouse?.isUp ?? null;
  }

  /** Call after a pause, because a command may have moved clicks to other storage. */
  doubtHome(): void {
    this.isHomeKnown = false;
  }

  /** Records up to one batch; false if there was none. If it throws, the batch must be repeated. */
  async recordNext(): Promise<boolean> {
    const begun = performance.now();
    const context = await this.options.context();
    this.node = context.node;
    this.clickHouse = context.clickHouse;
    if (!this.isHomeKnown) await context.checkHome();
    this.isHomeKnown = true;
    this.current ??= await this.nextBatch(context);
    if (this.current === undefined) return false;
    const refused = await this.recordKept(this.current, context);
    this.lastBatchMs = Math.round(performance.now() - begun);
    context.stored.emit(this.toClicksStored(this.current, refused));
    this.current = undefined;
    return true;
  }

  async isFull(): Promise<boolean> {
    const files = await this.options.journal.list();
    return (
      files.length >= BATCH_FILES || files.reduce((sum, { bytes }) => sum + bytes, 0) >= BATCH_BYTES
    );
  }

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
    // After a crash, only the last batch is repeated. The removal of earlier files must be
    // durable before that, and this batch's files must keep their names.
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

  /** Omits clicks that their owners have deleted. */
  private async recordKept(batch: JournalBatch, context: RecorderContext): Promise<string[]> {
    const deleted = new Map<string, number>();
    for (let kept = batch; ;) {
      try {
        return await this.record(kept, context);
      } catch (error) {
        if (!(error instanceof ClicksDeletedError)) throw error;
        for (const [linkId, since] of error.since) deleted.set(linkId, since);
        kept = await readBatch(batch.pending, this.options.journal, context, deleted);
        this.current = kept;
      }
    }
  }

  /** Returns the links whose clicks the database rejects permanently. */
  private async record(batch: JournalBatch, context: RecorderContext): Promise<string[]> {
    const { log } = this.options;
    const { entries, elsewhere, pending, days } = batch;
    const { node, number } = pending;
    if (elsewhere !== null) {
      // Checked first, because rows are not removed before the next deletion.
      await context.store.refuseDeleted({ node, number, entries });
      await context.clickHouse?.record({ node, number, links: elsewhere });
    }
    const refused = await context.store.record({ node, number, entries });
    await context.days.add({ node, number, days });
    if (refused.length > 0) {
      log.error(
        'The database permanently rejected some clicks; their journal files are kept in quarantine',
        {
          links: refused.slice(0, 20),
          files: pending.files,
        },
      );
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
